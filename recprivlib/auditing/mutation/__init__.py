"""Bugs put into every private system by machinery, to see which of them the audit catches.

    grafts.py    how a bug gets into any system: a subclass whose runs pass through hooks
    operator.py  what an operator is, and what it may ask about a system
    models.py    in what a model holds                digits.py   in its numbers; in other people's phones
    answers.py   at the gate                          lies.py     in the noise: roots, mechanisms that lie
    ledgers.py   in the ledger, in who is asked       sides.py    beside the model; leaks that wait for their data
    blind.py     what the audit cannot see, by name
    scoring.py   operator × system: caught or not, by what

What no operator looks like nobody has scored: the table says how far the audit sees among these, and no more.
"""

from recprivlib.auditing.mutation.operator import Operator
from recprivlib.auditing.mutation.scoring import OPERATORS, Cell, Line, cell, committed, missed, score, summary, write

__all__ = ["OPERATORS", "Cell", "Line", "Operator", "cell", "committed", "missed", "score", "summary", "write"]
