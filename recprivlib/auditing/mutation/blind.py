"""The blind spots of the audit, by name: what it does not look at, what it believes, and what its worlds do not hold.

A bug that is named here may pass as `holds`, and the table says why. One that is not may not: tests hold it to that.
"""

from __future__ import annotations

TIME = "time is not looked at"
MEMORY = "memory is not looked at"
FILES = "files that are read are not looked at"
RARE = "rare: what befalls one answer in a thousand may go unseen"
ALONE = "what is told is made of earlier answers where inputs differ by what was released: it gives nothing away"
ROWS = "that the noise of symbols is new for every person is looked at among few people"
DEAR = "where a run is dear, all of its rounds are played only if there is time for them"
LATER = "of many rounds the first are played: what befalls a later one is not met"
BOTH = "where neighbours may differ in two parts of a partition, both are billed: of two lines that is all"
WORLDS = "no made-up world has such data; real data may (--data)"
ONCE = "who answers once a round has nothing to take back: it gives nothing away"

SPOTS: dict[str, str] = {
    "side: time": TIME,
    "side: memory": MEMORY,
    "side: file of the run before": FILES,
    "lie: rarely silent": RARE,
    "lie: same for blocks": ROWS,
    "gate: noise cycled": ALONE,
    "ledger: partition": BOTH,
    "gate: early stop": LATER,
    "root: rewound": ONCE,
    "wait: long runs": DEAR,
    "model: support": WORLDS,
}
