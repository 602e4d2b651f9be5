"""Known vulnerabilities of the locked packages, from the public database osv.dev. Standard library only.

    python tools/audit_deps.py

Exit code 0: none is known; 1: some are, and are listed; 2: no advisory data can be had here, so nothing is known.
"""

from __future__ import annotations

import json
import re
import sys
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
SERVICE = "https://api.osv.dev/v1/querybatch"
Ask = Callable[[list[dict[str, Any]]], list[dict[str, Any]]]


def pins(text: str) -> list[tuple[str, str]]:
    """Names and versions of a lock."""
    return re.findall(r"(?m)^([\w.-]+)==([\w.+!]+)", text)


def ask(queries: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What the database answers, in the order of the queries."""
    body = json.dumps({"queries": queries}).encode()
    request = urllib.request.Request(SERVICE, body, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=20) as answer:
        return json.load(answer)["results"]


def main(asking: Ask = ask) -> int:
    both = "".join((ROOT / f"{name}.lock").read_text("utf-8") for name in ("requirements", "federation"))
    packages = list(dict.fromkeys(pins(both)))
    queries = [{"package": {"name": name, "ecosystem": "PyPI"}, "version": version} for name, version in packages]
    try:
        answers = asking(queries)
        found = [(package, answer.get("vulns") or []) for package, answer in zip(packages, answers, strict=True)]
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        print(f"no advisory data can be had here ({error}): nothing is known of {len(packages)} packages")
        return 2
    for (name, version), known in found:
        for one in known:
            print(f"{name} {version}: {one['id']}, https://osv.dev/vulnerability/{one['id']}")
    bad = sum(bool(known) for _, known in found)
    print(f"{bad} of {len(packages)} locked packages have known vulnerabilities")
    return int(bool(bad))


if __name__ == "__main__":
    sys.exit(main())
