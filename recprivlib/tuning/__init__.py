"""One protocol that is fair to every system: the same budget for all, chosen on validation, tested once.

space      what a search may turn: the dials that parameters declare
search     which settings are tried: the printed one first, then spread, then closing in
choose     trials on validation draws, finalists on fresh ones, a choice for each outer split
choices    the file of choices beside a table
gaps       how far two systems are apart, over people, seeds, splits and populations; and the verbs
price      what a search costs where it looks at private data
"""

from recprivlib.tuning.choices import Choice as Choice
from recprivlib.tuning.choose import Contender as Contender
from recprivlib.tuning.choose import tuned as tuned
from recprivlib.tuning.gaps import Gap as Gap
from recprivlib.tuning.gaps import gap as gap
