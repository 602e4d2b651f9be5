"""One protocol that is fair to every system: the same budget for all, chosen on validation, tested once.

space      what a search may turn: the dials that parameters declare
search     which settings are tried: the printed one first, then spread, then closing in
choose     trials on validation draws, finalists on fresh ones, a choice for each outer split
choices    the file of choices beside a table
gaps       how far two systems are apart, over people, seeds, splits and populations; and the verbs
budgets    what more trials buy
price      what a search costs where it looks at private data

And one bill that is the same for all:

inverse    the accountant inverted: a system whose counted bill is a given ε, at stated terms
totals     `calibrated`, and the price restored after what splits it was turned
terms      the terms of a comparison are one set; swept: so are those of a sweep
compared   the `[[tuned]]` of a table: planned, searched, tested
"""

from recprivlib.tuning.budgets import Bought as Bought
from recprivlib.tuning.budgets import curve as curve
from recprivlib.tuning.choices import Choice as Choice
from recprivlib.tuning.choose import Bench as Bench
from recprivlib.tuning.choose import Contender as Contender
from recprivlib.tuning.choose import tuned as tuned
from recprivlib.tuning.gaps import Gap as Gap
from recprivlib.tuning.gaps import gap as gap
from recprivlib.tuning.inverse import Terms as Terms
from recprivlib.tuning.totals import Total as Total
from recprivlib.tuning.totals import calibrated as calibrated
