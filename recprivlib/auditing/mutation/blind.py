"""The blind spots of the audit, by name: what it does not look at, what it believes, and what its worlds do not hold.

A bug that is named here may pass as `holds`, and the table says why. One that is not may not: tests hold it to that.
"""

from __future__ import annotations

TIME = "time is not looked at"
MEMORY = "memory is not looked at"
FILES = "files that are read are not looked at"
RARE = "rare: what befalls one answer in a thousand may go unseen"
PROCESS = "what a run leaves in its process is not looked at"
CLASS = "what is written about a class is not looked at"
COMPILED = "what a compiled container holds is not looked at"
DRAWN = "that nobody is told who was drawn is believed"
WORLDS = "no made-up world has such data; real data may (--data)"
ALONE = "what is told is made of earlier answers where inputs differ by what was released: it gives nothing away"
ROWS = "that the noise of symbols is new for every person is looked at among few people"
DEAR = "where a run is dear, its rarer worlds are played only as far as there is time for them"
LATER = "of many rounds the first are played: what befalls a later one is not met"
APART = "that two lines speak of disjoint data is found out in some systems, not in all"
ONCE = "who answers once a round has nothing to take back: it gives nothing away"
VIEWS = "who sees a release is believed"

SPOTS: dict[str, str] = {
    "side: time": TIME,
    "side: memory": MEMORY,
    "side: file of the run before": FILES,
    "lie: rarely silent": RARE,
    "side: global generator": PROCESS,
    "side: public generator": PROCESS,
    "side: input": PROCESS,
    "model: docstring": CLASS,
    "model: compact": COMPILED,
    "lie: same for blocks": ROWS,
    "gate: noise cycled": ALONE,
    "cohort: told": DRAWN,
    "ledger: unseen": VIEWS,
    "ledger: partition": APART,
    "gate: early stop": LATER,
    "root: rewound": ONCE,
    "stream: first": DEAR,
    "stream: all": DEAR,
    "data: refused": DEAR,
    "wait: one long history": DEAR,
    "wait: many items": DEAR,
    "wait: long runs": DEAR,
    "wait: all alike": WORLDS,
    "wait: features": WORLDS,
    "wait: nobody short": WORLDS,
    "wait: times": WORLDS,
    "model: support": WORLDS,
}
