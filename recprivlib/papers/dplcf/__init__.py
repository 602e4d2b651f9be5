"""Gao, Huang, Lin, Jin & Li, "DPLCF: Differentially Private Local Collaborative Filtering", SIGIR 2020.

Each phone flips every bit of its history and sends the result; the server estimates how alike two items are;
the phone keeps its true history and scores at home (eq. 12).

    paper   here                 meaning
    R       train.matrix         who met what, users × items
    M, N    sizes.users, .items  users and items
    p, q    flipping.p, .q       P(report 1 | met), P(report 1 | not met)              eq. 3
    m_ij    counted              pairs of reported bits, counted over users            eq. 5
    n_ij    solved               the same for true bits, estimated                     eq. 7
    sim     similarities         n₁₁ / (M − n₀₀)                                       eqs. 4, 9, 10
    KNN     neighbors            how many items vote                                   Section 3.2.3

Deviations:
  The paper does not say what becomes of impossible estimates (see `similarities`), nor of equally similar items
  (they are ordered at random).
  The rows of eq. 7 that nothing uses (n₀₁, n₁₀) are not computed. `inverse` "right" inverts the matrix that eq. 3
  implies; "printed" is what stands in the text we worked from (eq. 11; for p < 1 the inverse of eq. 6).
  bpr-mf and gmf: Adam on batches of 1,024 reported ones; the paper names neither optimiser nor epochs.
  dplcf-spectral is not in the paper: see models/spectral.py.
"""

from recprivlib.papers.dplcf.system import (
    DPLCF,
    SYSTEMS,
    DPLCFSpectral,
    counted,
    popularity,
    printed,
    reports,
    right,
    solved,
)

__all__ = ["DPLCF", "SYSTEMS", "DPLCFSpectral", "counted", "popularity", "printed", "reports", "right", "solved"]
