"""Wang & Tang, "Differentially Private Neighborhood-based Recommender Systems", IFIP SEC 2017.

A server that is trusted with every rating learns how alike items are, and publishes it with noise. Predictions are made
from what is published and a person's own ratings, for that person alone (eq. 2).

    paper     here               meaning
    r̄_i       means              an item's mean rating
    S, s_ij   similarity         how alike items are
    e_max     Bounds.clamp       0.5 + (φ − 1)/(t + 1), φ the range of the ratings          Algorithm 1, line 4
    C         floor              the least Σ|s_ij| over what a person rated
    ΔF        Noise.sensitivity  2 e_max φ / C: twice the largest ONE entry of a gradient   eq. 6
    β         rescale            S starts β times as large, and so do its steps             lines 1 and 7
    η, λ, K   learning_rate, regularization, iterations
    γ         rate               share of the ratings in a batch                            Theorem 1
    N_k       neighbors          how many similar items vote
    τ         cap                the most ratings of one person that count                  Section 4.3
    B         φ² τ               the most one person's squared errors add up to
    ϱ, ξ      temperature, DECAY of the noise, of the steps                                 Algorithm 2

Deviations:
  Where the paper is silent we follow the code its authors released: S starts uniform on [−.1, .1] β and is made
  symmetric after every step; |S_i|I_u ≥ C is enforced (a smaller sum counts as C). `start`, `mirrored`: the rest.
  That code clamps no error and multiplies Algorithm 2's drift by 2|R| (`rule` "code"); we clamp, and print (`rule`
  "printed"). It takes every rating in every step, as we do unless `rate` says less; H of eq. 12 is 1, as there.
  eq. 5 omits the sign of s_ij; the gradient here has it. Definition 1 asks for ‖D₀ − D₁‖ ≤ 1 while ΔF lets one rating
  change by its whole range: we read the latter, (rating, replace-value).
  "Paranoid" records are not defined; `preprocess` leaves out ratings more than φ/2 from the item's mean, which implies
  the paper's bound, and people with fewer than 20 ratings.
  cos compares all stars, pcc those of people who rated both; the paper does not say. `common` gives cos the latter.
  The factor models (noisy_factors.py) predict the middle of the scale + b_u + b_i + p_u·q_i, so that nothing but
  what is noised is released; of [4] and [16] the paper names neither biases nor offsets.
  The repaired system, dp-item-means (after McSherry & Mironov 2009) and dp-covariance are not in the paper.
"""

from recprivlib.papers.dp_pnbm.system import DPSGD, SYSTEMS

__all__ = ["DPSGD", "SYSTEMS"]
