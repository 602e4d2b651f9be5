"""What is tried on a server. Each `Attack` is one line of the table on the page *Many readers*: add yours to `ATTACKS`.

    Attack("words of the table", {"what one try is called": anything, …}, run)

`run(stage, one)` makes one try and returns what was wrong, "" if it held. The suite then looks whether the process is
alive and answers, how much memory it has taken, and whether it has printed a traceback.
"""

from __future__ import annotations

from tests.server.attacks import asking, classes, lingering, saying
from tests.server.attacks.stage import Attack, named

ATTACKS = (
    Attack("routes that Bokeh and Panel bring along", lambda: named(asking.table()), asking.routed),
    Attack("paths that name modules, files and folders", named(asking.PATHS), asking.nowhere),
    Attack("requests from pages of other sites", named(asking.USED), asking.elsewhere),
    Attack("methods, hosts and sessions of others", asking.REQUESTS, asking.asks),
    Attack("tokens that are none of this page's", asking.TOKENS, asking.tokens, memory=60),
    Attack("messages that no page sends, bombs among them", saying.SAYS, saying.spoken, memory=60),
    Attack("forged fields of messages that pages send", saying.FIELDS, saying.spoken, memory=60),
    Attack("values that a control does not have", saying.ODD, saying.endured, memory=60),
    Attack("sentences that no phone or wall of a class says", classes.SAYS, classes.spoken),
    Attack("codes and keys of a class that are guessed", classes.GUESSED, classes.guessed),
    Attack("bodies that never end", lingering.BODIES, lingering.bodies),
    Attack("lines of a request without an end", lingering.LINES, lingering.long_lines),
    Attack("half a request, from 3,000 at once", {"3,000": 3000}, lingering.half_asked, memory=80),
    Attack("readers who ask and never read", {"another theme": "theme"}, lingering.unread, memory=150),
)
