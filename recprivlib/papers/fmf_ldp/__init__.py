"""Minto, Haller, Livshits & Haddadi, "Stronger Privacy for Federated Collaborative Filtering with Implicit Feedback",
RecSys 2021.

    phone   x_u from its own history (eq. 4), then k cells of its gradient f(u, ·) (eq. 5), each made one bit (Alg. 1)
    proxy   strips who sent what, splits messages into single reports, shuffles them
    server  adds the bits up and moves the item matrix (Alg. 2); after T epochs everybody scores at home

    paper   here                       meaning
    V, X    items, users               item vectors (told to everybody), taste vectors (never leave the phones)
    N, M, F n_users, n_items, factors  phones, items, length of a vector
    k, ε    k, epsilon                 reports a phone sends in an epoch, and what each may tell
    T       epochs                     epochs: the ε of a run is k·ε·T (Section 5.1 counts one epoch)
    γ, λ    learning_rate, regularization
    B       mechanism.scale            eq. 8

Deviations, and what the paper leaves open:
  α of the confidence and the scale of the first V are not printed: `alpha` and `init`.
  Alg. 2 with eq. 5 as printed climbs the loss, for eq. 6 carries −2 Σ f: `direction` "down" is eq. 6.
  Eq. 9 divides k reports of a phone by N phones: k times the mean gradient. `mean` "report" divides by reports.
  20 gradient steps an epoch are printed, the optimiser is not: `optimiser`. They reuse the epoch's one noisy
  gradient; a new look at the data in each would cost 20 times as much.
  An item's row is projected to [−1, 1] entry by entry (line 3 of Alg. 1), so that one entry is projected here.
  fmf-ldp-stable and item-sign are not in the paper.
"""

from recprivlib.papers.fmf_ldp.system import (
    FMFLDP,
    SYSTEMS,
    FMFLDPStable,
    ItemSign,
    Told,
    at_cells,
    balance,
    chosen,
    clipped,
    histories,
    ldp_module,
    proxy,
    shuffled,
    tastes,
)

__all__ = [
    "FMFLDP",
    "SYSTEMS",
    "FMFLDPStable",
    "ItemSign",
    "Told",
    "at_cells",
    "balance",
    "chosen",
    "clipped",
    "histories",
    "ldp_module",
    "proxy",
    "shuffled",
    "tastes",
]
