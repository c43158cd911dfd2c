"""What real Flink does with a savepoint of the old program of a kind when the new one is started on it.

`python -m tests.upgrades.savepoints [KIND]...` asks Flink and writes the answers beside this file, which a test
compares with `diff-plan --for flink`. Both plans are those that are compiled here; sources of files go on, so that
there is something to take a savepoint of.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

#: Flink's answers, by kind.
ANSWERS = Path(__file__).with_name("flink-2.3.0.json")

ACCEPTED, REFUSED, UNCLAIMED = "accepted", "refused", "unclaimed"


def answers() -> Mapping[str, str]:
    """By kind: `accepted`, `refused`, or what came of it when Flink was allowed to drop what nobody claims."""
    document: Mapping[str, str] = json.loads(ANSWERS.read_text())
    return document


def unclaimed_then(answer: str) -> str:
    """The answer where state had to be dropped first."""
    return f"{UNCLAIMED}, then {answer}"
