"""Results of real Flink when the new program of a kind starts on a savepoint of the old one.

`python -m tests.upgrades.savepoints [KIND]...` runs Flink and writes the answers beside this file, which a test
compares with `diff-plan --for flink`. Both plans are compiled here; filesystem sources are unbounded, so that
a savepoint can be taken.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

#: Flink's answers, by kind.
ANSWERS = Path(__file__).with_name("flink-2.3.0.json")

ACCEPTED, REFUSED, UNCLAIMED = "accepted", "refused", "unclaimed"


def answers() -> Mapping[str, str]:
    """By kind: `accepted`, `refused`, or the result after Flink was allowed to drop unclaimed state."""
    document: Mapping[str, str] = json.loads(ANSWERS.read_text())
    return document


def unclaimed_then(answer: str) -> str:
    """The answer if state had to be dropped first."""
    return f"{UNCLAIMED}, then {answer}"
