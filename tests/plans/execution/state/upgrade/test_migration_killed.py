"""Processes that end in the middle of migrations and rollbacks.

By default copies of the checkpoint at each write stand for processes that end there; `make test-deep` uses `kill -9`.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from compiled_plan.plans.execution.spark.storage import LocalFolder
from compiled_plan.plans.execution.state.checkpoint.store import Store
from compiled_plan.plans.execution.state.upgrade.rollback import roll_back
from tests.plans.execution.kills import killed
from tests.plans.execution.state.checkpoint.places import Place
from tests.plans.execution.state.upgrade.killed import KEPT, MIGRATION, ROLLBACK, KilledUpgrades
from tests.plans.execution.state.upgrade.test_upgrade_moves import COUNTS, PRICES, TABLES, VALUES, more, place, together

__all__ = ["place"]


class Copies:
    """Copies of a folder before each write of an action, as a process would leave it that ends there."""

    def __init__(self, source: Path, target: Path) -> None:
        self.source, self.target = source, target
        self.folders: list[Path] = []

    def during(self, action: Callable[[], object]) -> None:
        """Run an action and copy."""
        with pytest.MonkeyPatch.context() as patched:
            for name in ("write_text", "create_text", "copy", "remove"):
                patched.setattr(LocalFolder, name, self._copying(getattr(LocalFolder, name)))
            action()

    def _copying(self, write: Callable[..., Any]) -> Callable[..., Any]:
        def copied(*arguments: Any, **options: Any) -> Any:
            folder = self.target / str(len(self.folders))
            # The lock ends with its process.
            shutil.copytree(self.source, folder, ignore=shutil.ignore_patterns("lock"))
            self.folders.append(folder)
            return write(*arguments, **options)

        return copied

    def restore(self, folder: Path) -> None:
        """Put a copy in place of the folder's content."""
        shutil.rmtree(self.source)
        shutil.copytree(folder, self.source)


def in_force(folder: Path) -> int:
    """The generation in force."""
    head = Store(LocalFolder(folder / "checkpoint")).head()
    assert head is not None
    return head.generation


def content(folder: Path, generation: int) -> dict[str, bytes]:
    """The part of a generation that never changes once another one was made from it."""
    root = folder / f"checkpoint/generations/{generation}"
    files = (path for name in KEPT for path in (root / name).rglob("*") if path.is_file())
    return {str(path.relative_to(root)): path.read_bytes() for path in files}


@pytest.mark.wide
def test_a_start_continues_after_any_write_of_a_migration(
    place: Place, tmp_path_factory: pytest.TempPathFactory
) -> None:
    old, new = (place.compiled(TABLES, together(*queries, COUNTS, VALUES)) for queries in ((PRICES,), ()))
    place.run(old)
    more(place)
    before = content(place.folder, 1)
    copies = Copies(place.folder, tmp_path_factory.mktemp("migration"))
    copies.during(lambda: place.moved(new))
    generations = [in_force(folder) for folder in copies.folders]
    assert generations == sorted(generations), "one write puts the new generation in force"
    assert {*generations} == {1, 2}
    at = generations.index(2)
    for folder in copies.folders:
        assert content(folder, 1) == before
    for folder in copies.folders[at:]:
        assert {"offsets/0", "commits/0"} <= content(folder, 2).keys()
    for folder in copies.folders[at - 1 : at + 1]:
        copies.restore(folder)
        assert place.run(new).start.migrates is (in_force(folder) == 1)
        assert in_force(place.folder) == 2
        assert place.rows("counts") == [("x", 1010), ("y", 20)]
        assert place.rows("again") == [("x", 1000), ("z", 7)]
        assert content(place.folder, 1) == before
    rollback = Copies(place.folder, tmp_path_factory.mktemp("rollback"))
    contents = [content(place.folder, generation) for generation in (1, 2)]
    rollback.during(lambda: roll_back(place.spark, str(place.checkpoint)))
    assert {in_force(folder) for folder in rollback.folders} <= {1, 2}
    for folder in (*rollback.folders, place.folder):
        assert [content(folder, generation) for generation in (1, 2)] == contents
    assert in_force(place.folder) == 1


@pytest.mark.deep
def test_a_hundred_migrations_and_rollbacks_that_are_killed(tmp_path: Path) -> None:
    started = time.monotonic()
    summary = killed(tmp_path, 100, KilledUpgrades)
    print(summary.text, f"{time.monotonic() - started:.0f} s")
    for kind in (MIGRATION, ROLLBACK):
        assert {f"{kind} counts", f"{kind} left the old generation"} <= summary.moments.keys()
    assert {"sources", "export", "seed", "positions", "program", "head"} <= summary.phases(MIGRATION)
