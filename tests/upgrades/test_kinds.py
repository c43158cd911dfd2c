"""Every kind of change of `docs/reference/changes.md` by name, on the old program's state.

The old program reads half of the rows and the new one the rest on the same checkpoint. Fully compatible kinds
start by themselves (`--upgrade check`), partially compatible ones on request (`migrate-partial`), all others
never. Kinds that would be silently wrong are also started without comparison, and are wrong.

A kind that moves state as another test does, and most starts that are refused (see `test_verdicts`), run with
`make test-deep`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from compiled_plan.plans.errors import CompiledPlanError
from compiled_plan.plans.execution.session.options import TRANSFORM
from compiled_plan.plans.inspection.judging.verdicts import Verdict
from tests.support.once import once
from tests.upgrades import scratch
from tests.upgrades.bench import Bench, Setting, Table, grouped
from tests.upgrades.kinds import KINDS, TIMERS
from tests.upgrades.kinds.model import FIRST, SECOND, Kind

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_MODES = {Verdict.FULL: "check", Verdict.PARTIAL: "migrate-partial"}
RECORDED = scratch.recorded()
#: Kinds in `make test`: `test_kinds_quick` runs them all without a query, and `test_verdicts` judges them.
MAIN = ("another-path", "another-zone", "left-to-inner", "ttl-of-one-side")


@dataclass(frozen=True)
class Trial:
    """A run over many kinds at once.

    Args:
        name: of its folders.
        kinds: its kinds.
        shallow: names of the kinds outside of `make test-deep`.
        alike: property that the kinds of a group share.
        run: runs a group; returns its output.
    """

    name: str
    kinds: Sequence[Kind]
    shallow: Collection[str]
    alike: Callable[[Kind], Hashable]
    run: Callable[[Bench], str]

    def group(self, kind: Kind) -> Sequence[Kind]:
        """The group of a kind."""
        some = [candidate for candidate in self.kinds if self._alike(candidate) == self._alike(kind)]
        return next(group for group in grouped(some) if kind in group)

    def _alike(self, kind: Kind) -> Hashable:
        return self._tier(kind), self.alike(kind)

    def _tier(self, kind: Kind) -> str:
        return "deep" if kind.name not in self.shallow else "" if kind.name in MAIN else "wide"

    def parametrized(self) -> pytest.MarkDecorator:
        """Parametrize a test with `kind`."""
        marks = {"": (), "wide": pytest.mark.wide, "deep": pytest.mark.deep}
        cases = [pytest.param(kind, marks=marks[self._tier(kind)], id=kind.name) for kind in self.kinds]
        return pytest.mark.parametrize("kind", cases)


@dataclass(frozen=True)
class Outcome:
    """Outcome of a kind: its sink table, and the run's output."""

    rows: Table
    said: Sequence[str]


def _old(bench: Bench, host: str = TRANSFORM) -> None:
    """Run the old programs over the first half of the rows; then add the second half."""
    bench.add(dict(FIRST), 1)
    bench.start(bench.plan(False), Setting(host=host, partitions=1))
    bench.add(dict(SECOND), 2)


def _upgraded(bench: Bench) -> str:
    kind = bench.kinds[0]
    _old(bench, kind.hosts[0])
    filled = ("all",) if kind.warm_up else ()
    bench.start(bench.plan(True), Setting(_MODES[kind.verdict], kind.hosts[1], kind.partitions or 1, warm_up=filled))
    return ""


def _refused(bench: Bench) -> str:
    _old(bench)
    return bench.refusal(bench.plan(True), Setting("migrate-partial", partitions=1))


def _unguarded(bench: Bench) -> str:
    _old(bench)
    plan = bench.plan(True)
    said = bench.refusal(plan, Setting("check", partitions=1))
    bench.start(plan, Setting(partitions=1, guarded=False))
    return said


_CONTINUING = tuple(kind for kind in KINDS if kind.verdict in _MODES)
UPGRADED = Trial(
    "upgraded",
    _CONTINUING,
    {kind.name for kind in _CONTINUING if not kind.covered_by},
    lambda kind: (kind.timed, kind.verdict, kind.hosts, kind.partitions, kind.warm_up),
    _upgraded,
)
REFUSAL = Trial(
    "refused",
    tuple(kind for kind in KINDS if kind.verdict not in _MODES),
    {"another-zone", "another-path", "exists-to-not-exists", "last-row-instead-of-first"},
    lambda kind: kind.timed,
    _refused,
)
UNGUARDED = Trial(
    "unguarded",
    tuple(kind for kind in KINDS if kind.wrong is not None),
    {"another-grouping", "another-column-behind-a-join", "another-order-of-a-top-n", "sink-primary-key"},
    lambda kind: kind.timed,
    _unguarded,
)


class Outcomes:
    """Outcomes of kinds; a group runs at the first request for one of its kinds."""

    def __init__(self, spark: SparkSession, folders: pytest.TempPathFactory) -> None:
        self.spark, self.folders = spark, folders

    def of(self, trial: Trial, kind: Kind) -> Outcome:
        """The outcome of a kind."""
        group = trial.group(kind)
        outcome = once(self.folders, f"{trial.name}-{group[0].name}", lambda: dict(self._made(trial, group)))[kind.name]
        if "fault" in outcome:
            raise AssertionError(outcome["fault"])
        return Outcome([tuple(row) for row in outcome["rows"]], outcome["said"])

    def _made(self, trial: Trial, group: Sequence[Kind]) -> Iterator[tuple[str, dict[str, Any]]]:
        bench = Bench(self.spark, self.folders.mktemp(f"{trial.name}-{len(group)}"), group)
        try:
            said = trial.run(bench)
        except CompiledPlanError as fault:
            if len(group) == 1:
                yield group[0].name, {"fault": str(fault)}
                return
            # Bisect the group to find the kind.
            middle = len(group) // 2
            for some in (group[:middle], group[middle:]):
                yield from self._made(trial, some)
        else:
            for kind in group:
                yield kind.name, {"rows": bench.rows(kind), "said": bench.said_of(kind, said)}


@pytest.fixture
def outcomes(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Outcomes:
    return Outcomes(spark, tmp_path_factory)


@UPGRADED.parametrized()
def test_the_state_goes_on(kind: Kind, outcomes: Outcomes) -> None:
    expected = RECORDED[kind.name] if kind.result is None else sorted(kind.result, key=str)
    assert outcomes.of(UPGRADED, kind).rows == expected


@REFUSAL.parametrized()
def test_a_start_is_refused(kind: Kind, outcomes: Outcomes) -> None:
    said = outcomes.of(REFUSAL, kind).said
    assert any(kind.names in line for line in said), said


@UNGUARDED.parametrized()
def test_it_would_be_silently_wrong(kind: Kind, outcomes: Outcomes) -> None:
    outcome = outcomes.of(UNGUARDED, kind)
    assert outcome.rows == sorted(kind.wrong or (), key=str)
    assert any(f", {kind.says}" in line for line in outcome.said), outcome.said


def test_declared_rows_differ_from_those_from_scratch() -> None:
    for kind in KINDS:
        if kind.result is not None:
            assert kind.verdict is Verdict.PARTIAL, "a verdict below full says of what differs"
            assert sorted(kind.result, key=str) != RECORDED[kind.name], kind.name
        if kind.wrong is not None:
            assert sorted(kind.wrong, key=str) != RECORDED[kind.name], kind.name


def test_all_kinds_have_recorded_rows() -> None:
    assert list(RECORDED) == [kind.name for kind in scratch.SCRATCH], "run `python -m tests.upgrades.scratch`"


@pytest.mark.deep
def test_recorded_rows_equal_those_of_a_run(spark: SparkSession, tmp_path: Path) -> None:
    assert scratch.computed(spark, tmp_path) == RECORDED


def test_a_deep_kind_is_covered_by_a_kind_or_test_that_is_not() -> None:
    kinds = (*KINDS, *TIMERS)
    covering = {kind.name for kind in kinds if not kind.covered_by}
    for kind in kinds:
        file, is_test, function = kind.covered_by.partition("::")
        if is_test:
            test = getattr(import_module(file.removesuffix(".py").replace("/", ".")), function)
            assert all(mark.name != "deep" for mark in getattr(test, "pytestmark", ())), kind.name
        elif kind.covered_by:
            assert kind.covered_by in covering, kind.name
