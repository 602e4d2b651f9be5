"""Authors, "Title", venue and year of the paper: put them here.

How often each item was met, counted by a trusted server that adds noise. A small system to begin with.

    paper   here                 meaning
    R       train.matrix         who met what, users × items
    ε       epsilon              what the whole run costs a person
    τ       cap                  the most interactions of one person that are used

Deviations:
  None yet. Whatever differs from the print stands here, with why.
"""

from recprivlib.papers.new_paper.system import SYSTEMS, NoisyCounts

__all__ = ["SYSTEMS", "NoisyCounts"]
