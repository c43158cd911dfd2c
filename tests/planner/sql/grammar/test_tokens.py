"""Tokens of hostile scripts."""

from __future__ import annotations

import time
from contextlib import suppress

import pytest

from compiled_plan.planner.sql.grammar.tokens import tokenize
from compiled_plan.plans.errors import ProgramError

#: Openings that are never closed, or closed each time, repeated.
HOSTILE = ("/* ", "/**/", "/*+", "'a", "''", "x'", "x'zz' ", "U&'", "_utf8'", "`a", "``", "--", "1e", "1.", "(", "é")


@pytest.mark.wide
@pytest.mark.attack
@pytest.mark.parametrize("opening", ["", "/*", "'"])
@pytest.mark.parametrize("again", HOSTILE)
def test_tokenizing_takes_linear_time(opening: str, again: str) -> None:
    text = opening + again * (100_000 // len(again))
    begun = time.process_time()
    with suppress(ProgramError):
        tokenize(text)
    # 0.4 s for the most tokens; a search to the end at each position takes 10 s.
    assert time.process_time() - begun < 4
