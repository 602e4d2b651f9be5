"""Honest evaluation: splits that cannot leak, metrics with ties in expectation, intervals over users."""

from recprivlib.evaluation.bootstrap import Difference as Difference
from recprivlib.evaluation.bootstrap import interval as interval
from recprivlib.evaluation.bootstrap import intervals as intervals
from recprivlib.evaluation.bootstrap import paired as paired
from recprivlib.evaluation.bootstrap import total as total
from recprivlib.evaluation.nested import Nest as Nest
from recprivlib.evaluation.nested import nested as nested
from recprivlib.evaluation.scoring import Scores as Scores
from recprivlib.evaluation.scoring import evaluate as evaluate
from recprivlib.evaluation.scoring import merged as merged
from recprivlib.evaluation.splits import PROTOCOLS as PROTOCOLS
from recprivlib.evaluation.splits import RankingSplit as RankingSplit
from recprivlib.evaluation.splits import RatingSplit as RatingSplit
from recprivlib.evaluation.splits import Split as Split
from recprivlib.evaluation.splits import UserSplit as UserSplit
from recprivlib.evaluation.splits import split as split
from recprivlib.streams import stream as stream
