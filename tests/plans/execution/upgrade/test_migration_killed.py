"""`kill -9` in the middle of migrations and rollbacks."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from tests.plans.execution.kills import killed
from tests.plans.execution.upgrade.killed import KilledUpgrades


@pytest.mark.spark
def test_migrations_that_are_killed(tmp_path: Path) -> None:
    found = killed(tmp_path, 3, 0.7, KilledUpgrades)
    assert any("migration" in moment for moment in found.moments)


@pytest.mark.deep
def test_a_hundred_migrations_and_rollbacks_that_are_killed(tmp_path: Path) -> None:
    started = time.monotonic()
    found = killed(tmp_path, 100, 1.0, KilledUpgrades)
    print(f"{found.kills} kills, {found.ends} ends, {dict(found.moments)}, {time.monotonic() - started:.0f} s")
    assert {moment.partition(",")[0] for moment in found.moments} == {"a migration", "a rollback"}
