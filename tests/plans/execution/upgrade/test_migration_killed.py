"""`kill -9` in the middle of migrations and rollbacks."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from tests.plans.execution.kills import killed
from tests.plans.execution.upgrade.killed import MIGRATION, ROLLBACK, KilledUpgrades


@pytest.mark.spark
def test_migrations_that_are_killed(tmp_path: Path) -> None:
    summary = killed(tmp_path, 2, KilledUpgrades)
    assert any(moment.startswith(MIGRATION) for moment in summary.moments)


@pytest.mark.deep
def test_a_hundred_migrations_and_rollbacks_that_are_killed(tmp_path: Path) -> None:
    started = time.monotonic()
    summary = killed(tmp_path, 100, KilledUpgrades)
    print(summary.text, f"{time.monotonic() - started:.0f} s")
    for kind in (MIGRATION, ROLLBACK):
        assert {f"{kind} counts", f"{kind} left the old generation"} <= summary.moments.keys()
    assert {"sources", "export", "seed", "positions", "program", "head"} <= summary.phases(MIGRATION)
