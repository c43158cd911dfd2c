"""Every kind of change of `docs/upgrades.md`, by its name: what becomes of it.

Half of the rows are read by the old program and half by the new one on the same checkpoint. What is fully compatible
starts by itself (`--upgrade check`), what is partially compatible when it is asked for (`migrate-partial`), and all
else never.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from compiled_plan.plans.errors import CompiledPlanError
from compiled_plan.plans.inspection.diff.model import Verdict
from tests.upgrades.bench import Bench, Setting, Table, halves, scratch
from tests.upgrades.kinds import KINDS
from tests.upgrades.kinds.model import FIRST, SECOND, Kind

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.deep

#: How many kinds run as one plan.
TOGETHER = 16
_MODES = {Verdict.FULL: "check", Verdict.PARTIAL: "migrate-partial"}
GOING_ON = tuple(kind for kind in KINDS if kind.verdict in _MODES)
REFUSED = tuple(kind for kind in KINDS if kind.verdict not in _MODES)


class Outcomes:
    """What comes of kinds, in groups: each group runs when the first of its kinds is asked for."""

    def __init__(self, spark: SparkSession, folder: Path) -> None:
        self.spark, self.folder = spark, folder
        self._found: dict[tuple[str, str], Table | CompiledPlanError] = {}

    def upgraded(self, kind: Kind) -> Table:
        """What the sink holds after the upgrade."""
        return self._of(kind, "upgraded", GOING_ON, upgrade)

    def right(self, kind: Kind) -> Table:
        """What the new program gives over all rows."""
        return self._of(kind, "scratch", GOING_ON, scratch)

    @cached_property
    def refusal(self) -> Mapping[str, str]:
        """What is said of all that is refused, by name: of one plan with all, since a refusal names all it is for."""
        found: dict[str, str] = {}
        for timed in (False, True):
            kinds = [kind for kind in REFUSED if kind.timed == timed]
            bench = Bench(self.spark, self.folder / f"refused-{timed}", kinds)
            bench.add(dict(FIRST), 1)
            bench.start(bench.plan(False))
            bench.add(dict(SECOND), 2)
            said = bench.refusal(bench.plan(True), Setting(upgrade="migrate-partial"))
            found |= {kind.name: said for kind in kinds}
        return found

    def _of(self, kind: Kind, what: str, among: Sequence[Kind], run: Callable[[Bench], None]) -> Table:
        if (what, kind.name) not in self._found:
            self._run(next(group for group in _groups(among) if kind in group), what, run)
        found = self._found[what, kind.name]
        if isinstance(found, CompiledPlanError):
            raise found
        return found

    def _run(self, group: Sequence[Kind], what: str, run: Callable[[Bench], None]) -> None:
        bench = Bench(self.spark, self.folder / f"{what}-{group[0].name}-{len(group)}", group)
        try:
            run(bench)
        except CompiledPlanError as fault:
            if len(group) == 1:
                self._found[what, group[0].name] = fault
            else:
                for kind in group:
                    self._run([kind], what, run)
        else:
            self._found |= {(what, kind.name): bench.rows(kind) for kind in group}


def _groups(kinds: Sequence[Kind]) -> list[list[Kind]]:
    """Kinds that run together: of one clock and one verdict, on the same hosts and partitions."""
    found: dict[Hashable, list[Kind]] = {}
    for kind in kinds:
        found.setdefault((kind.timed, kind.verdict, kind.hosts, kind.partitions), []).append(kind)
    return [group[at : at + TOGETHER] for group in found.values() for at in range(0, len(group), TOGETHER)]


def upgrade(bench: Bench) -> None:
    """The old programs, then the new ones."""
    kind = bench.kinds[0]
    new = Setting(_MODES[kind.verdict], kind.hosts[1], kind.partitions)
    halves(bench, Setting(host=kind.hosts[0]), new)


@pytest.fixture(scope="module")
def outcomes(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Outcomes:
    return Outcomes(spark, tmp_path_factory.mktemp("kinds"))


def named(kinds: Sequence[Kind]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("kind", kinds, ids=lambda kind: kind.name)


@named(GOING_ON)
def test_the_state_goes_on(kind: Kind, outcomes: Outcomes) -> None:
    got, right = outcomes.upgraded(kind), outcomes.right(kind)
    assert got == (right if kind.result is None else sorted(kind.result, key=str))
    if kind.result is not None:
        assert kind.verdict is Verdict.PARTIAL, "a verdict below full says of what differs"
        assert got != right


@named(REFUSED)
def test_a_start_is_refused(kind: Kind, outcomes: Outcomes) -> None:
    said = outcomes.refusal[kind.name]
    lines = [line for line in said.splitlines() if kind.name.replace("-", "_") in line]
    assert any(kind.names in line for line in lines), said
