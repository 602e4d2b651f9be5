"""The blind spots of the audit, by name: what it does not look at, what it believes, and what its worlds do not hold.

A bug that is named here may pass as `holds`, and the table says why. One that is not may not: tests hold it to that.
"""

from __future__ import annotations

TIME = "time is not looked at"
MEMORY = "memory is not looked at"
FILES = "files that are read are not looked at"
RARE = "rare: what befalls fewer than one answer in some thousands may go unseen"
WORLDS = "no made-up world has such data; real data may (--data)"
QUIET = "where nearly every answer is the truth, one that has no noise does not stand out"
ALONE = "what is told is made of earlier answers where inputs differ by what was released: it gives nothing away"
DEAR = "where a run is dear, all of its rounds are played only if there is time for them"
LATER = "of many rounds the first are played: what befalls a later one is not met"

# of each operator that passes somewhere, why; what no operator shows stands above all the same
SPOTS: dict[str, str] = {
    "side: time": TIME,
    "side: memory": MEMORY,
    "lie: rarely silent": QUIET,
    "gate: noise cycled": ALONE,
    "gate: early stop": LATER,
    "wait: long runs": DEAR,
}
