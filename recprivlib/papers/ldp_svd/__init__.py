"""Neera, Chen & Aslam, "Local Differentially Private Matrix Factorization For Recommendations", SKIMA 2019.

Each phone perturbs each of its ratings and sends it; the server factorises what it got. Which films were rated is
sent as it is.

    paper    here             meaning
    ε1       epsilon1         budget of the Laplace noise                       eq. 4
    ε2, p    epsilon2, p      the rating itself is sent with p = e^ε2/(1+e^ε2)  eq. 5
    Δ        the grid's range the most a rating can move

Deviations:
  The paper is silent on the scale of the ratings, on clipping reports or predictions, and on the factorisation's
  parameters. Here: ratings on [0, 1] (`scale` "unit"; on stars the training diverges at small ε1), reports not
  clipped (`clip_reports`), predictions cut to the star grid (`clip_predictions`), and the parameters of `svd`.
  Gradients are taken in batches of 4,096 ratings (see models/biased.py).
  discrete-rr-mf and optimal-mf are not in the paper: see ordinal.py. Real-valued answers (Laplace,
  Piecewise) are sorted into narrow bins before the server uses their likelihood: post-processing. "Optimal" means
  the most information about a taste under the model of stars; on ML-1M at ε = 1 Piecewise does better (tests).
"""

from recprivlib.papers.ldp_svd.system import (
    MECHANISMS,
    STARS,
    SYSTEMS,
    DiscreteRRMF,
    LaplaceRRSVD,
    LaplaceSVD,
    OptimalMF,
    answers,
)

__all__ = ["MECHANISMS", "STARS", "SYSTEMS", "DiscreteRRMF", "LaplaceRRSVD", "LaplaceSVD", "OptimalMF", "answers"]
