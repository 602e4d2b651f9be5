"""What a run costs: from a ledger to (ε, δ) at stated terms.

pairs       the worst pair of output distributions of one release (profiles, renyi: its two curves)
exact, binomial, pure, advanced, zcdp, rdp, pld      methods of composition, each an upper bound
shuffle     what a crowd hides
compose     the tightest of them, in numbers and words
guarantee   ledger → Guarantee            bills   → the JSON of every command and report
claims      a claim at the δ of a bill    rounding    what floating point adds to a sum
tradeoff    ledger → curve and μ          dp_events   ledger ↔ dp-accounting's events
calibration ε → noise
"""

from recprivlib.accounting.bills import bill, mechanism_bill, small_delta
from recprivlib.accounting.guarantee import guarantee, supported

__all__ = ["bill", "guarantee", "mechanism_bill", "small_delta", "supported"]
