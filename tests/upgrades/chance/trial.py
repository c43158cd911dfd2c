"""Random pairs run together as independent parts of one plan, and their expected results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

from compiled_plan.plans.errors import CompiledPlanError
from compiled_plan.plans.execution.session.options import GROUPS, TRANSFORM
from compiled_plan.plans.inspection.judging.verdicts import Verdict
from compiled_plan.plans.plan import CompiledPlan
from tests.upgrades.bench import Setting, contents, last_of, run, sums_of
from tests.upgrades.chance.expected import Basis
from tests.upgrades.chance.pairs import Pair
from tests.upgrades.chance.rows import FRESH, halves
from tests.upgrades.programs import merged, write

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

#: Pairs that run together: planning and compiling grow faster than the plan.
TOGETHER = 4
_MODES = {Verdict.FULL: "migrate", Verdict.PARTIAL: "migrate-partial"}
Row = tuple[Any, ...]


@dataclass(frozen=True)
class Group:
    """Pairs that run together: of one verdict and one clock, since a plan has the worst verdict of its parts."""

    pairs: tuple[Pair, ...]
    old: Setting
    new: Setting

    def __str__(self) -> str:
        """Description of the run."""
        return (
            f"{self.old.host} in {self.old.partitions} -> {self.new.host} in {self.new.partitions}, {self.new.upgrade}"
        )


def grouped(pairs: Sequence[Pair], draw: Random) -> Iterator[Group]:
    """All pairs that continue, in groups."""
    for verdict in _MODES:
        for timed in (False, True):
            some = [pair for pair in pairs if pair.diff.verdict is verdict and pair.timed == timed]
            for at in range(0, len(some), TOGETHER):
                hosts = [TRANSFORM if timed else draw.choice((TRANSFORM, GROUPS)) for _ in range(2)]
                # Without an option a start moves state only if it must.
                upgrade = "check" if verdict is Verdict.FULL and draw.random() < 0.5 else _MODES[verdict]
                old = Setting(host=hosts[0], partitions=draw.choice((1, 2, 3)))
                new = Setting(upgrade=upgrade, host=hosts[1], partitions=draw.choice((1, 2, 2, 4)))
                yield Group(tuple(some[at : at + TOGETHER]), old, new)


def refused(pairs: Sequence[Pair]) -> Iterator[Group]:
    """All pairs that are refused, in groups."""
    for timed in (False, True):
        some = [pair for pair in pairs if pair.diff.verdict not in _MODES and pair.timed == timed]
        for at in range(0, len(some), TOGETHER):
            yield Group(tuple(some[at : at + TOGETHER]), Setting(), Setting(upgrade="migrate-partial"))


@dataclass(frozen=True)
class Place:
    """The folder in which the programs of a group run as one plan."""

    spark: SparkSession
    folder: Path

    def add(self, pair: Pair, *parts: int, name: str = "") -> None:
        """Add the first half of a pair's rows, the second, or both."""
        rows = halves(Random(pair.seed))
        for part in parts:
            write(self.folder / (name or pair.name), part, rows[part])

    def start(self, plans: Mapping[str, CompiledPlan], setting: Setting) -> None:
        """Run plans by name over the available rows."""
        run(self.spark, merged(plans), self.folder / "checkpoint", setting)

    def programs(self, group: Group, *, new: bool) -> dict[str, CompiledPlan]:
        """The plans of a group."""
        return {pair.name: (pair.new if new else pair.old).compiled(self.folder / pair.name) for pair in group.pairs}


@dataclass(frozen=True)
class Contents:
    """Content of a sink: the count of each row, and the last row of each key."""

    sums: Counter[Row]
    last: dict[Any, Row | None]

    @classmethod
    def of(cls, folder: Path) -> Contents:
        """Read a sink."""
        return cls(sums_of(folder), last_of(folder))


_NONE = Contents(Counter(), {})


@dataclass(frozen=True)
class Begun:
    """Content of a sink at the stop: the old program's output, and the expected content of the new one so far."""

    old: Contents
    new: Contents


def wrong(spark: SparkSession, folder: Path, group: Group) -> list[str]:
    """Deviations from the verdicts."""
    try:
        return list(_judged(spark, folder, group))
    except CompiledPlanError as fault:
        seeds = ", ".join(str(pair.seed) for pair in group.pairs)
        if len(group.pairs) == 1:
            return [f"{group}\n{group.pairs[0]}\n{fault}"]
        # Bisect the group to find the pair.
        middle = len(group.pairs) // 2
        halves_of = (group.pairs[:middle], group.pairs[middle:])
        problems = [
            text
            for at, some in enumerate(halves_of)
            for text in wrong(spark, folder / str(at), replace(group, pairs=some))
        ]
        return problems or [f"{group}\nseeds {seeds} together, and none of them alone\n{fault}"]


def _judged(spark: SparkSession, folder: Path, group: Group) -> Iterator[str]:
    before, got = _upgraded(Place(spark, folder / "upgraded"), group)
    whole = _scratch(Place(spark, folder / "whole"), group, 0, 1)
    # A fully compatible change is as from scratch, whatever was written at the stop.
    full = group.pairs[0].diff.verdict is Verdict.FULL
    first = {} if full else _scratch(Place(spark, folder / "first"), group, 0)
    for pair in group.pairs:
        for sink, expectation in pair.expected.items():
            at = pair.name, sink
            old = _NONE if full else before.get(at, _NONE)
            new = first.get(at, _NONE) if expectation.basis is Basis.GOES_ON else _NONE
            judge = _of_keys if sink.startswith("keyed") else _of_rows
            said = judge(expectation.basis, Begun(old, new), whole[at], got[at])
            if said:
                yield f"{group}\n{pair}\n{sink}, {expectation}\n{said}"


_Sinks = dict[tuple[str, str], Contents]


def _upgraded(place: Place, group: Group) -> tuple[_Sinks, _Sinks]:
    """The sinks of the old programs at their stop, and those of the new ones at the end."""
    for pair in group.pairs:
        place.add(pair, 0)
    place.start(place.programs(group, new=False), group.old)
    before = {
        (pair.name, statement.sink): Contents.of(place.folder / pair.name / statement.sink)
        for pair in group.pairs
        for statement in pair.old.statements
    }
    for pair in group.pairs:
        place.add(pair, 1)
    place.start(place.programs(group, new=True), group.new)
    return before, _sinks(place, group)


def _scratch(place: Place, group: Group, *parts: int) -> _Sinks:
    """The expected content from scratch, over all rows or those of the first half."""
    for pair in group.pairs:
        place.add(pair, *parts)
    plans = {pair.name: pair.new.compiled(place.folder / pair.name, pair.expected) for pair in group.pairs}
    place.start(plans, Setting())
    return _sinks(place, group)


def _sinks(place: Place, group: Group) -> _Sinks:
    return {
        (pair.name, sink): Contents.of(place.folder / pair.name / sink)
        for pair in group.pairs
        for sink in pair.expected
    }


def _of_rows(basis: Basis, begun: Begun, whole: Contents, got: Contents) -> str:
    """Rows with a wrong count in a sink; empty if all are right."""
    want, there = Counter(whole.sums), got.sums
    if basis is Basis.FRESH_KEYS:
        want, there = (Counter({row: n for row, n in rows.items() if row[0] in FRESH}) for rows in (want, there))
    else:
        want.update(begun.old.sums)
        want.subtract(begun.new.sums)
    rows = sorted({*want, *there}, key=str)
    return "".join(f"  {row}: {there[row]} times, not {want[row]}\n" for row in rows if there[row] != want[row])


def _of_keys(basis: Basis, begun: Begun, whole: Contents, got: Contents) -> str:
    """Keys with a wrong last row; one that does not change in the second half may be emitted again or not."""
    wrong = []
    for key in sorted({*begun.old.last, *whole.last, *got.last}):
        old, new, has = (contents.last.get(key) for contents in (begun.old, whole, got))
        changes = begun.new.last.get(key) != new
        if basis is Basis.FRESH_KEYS and key not in FRESH:
            continue
        if has != new and (changes or has != old):
            wrong.append(f"  {key}: has {has}, not {new}{'' if changes else f' or {old}'}\n")
    return "".join(wrong)


def not_refused(spark: SparkSession, folder: Path, group: Group) -> list[str]:
    """Errors of refusals: a pair starts, is not named, or something changes on disk."""
    place = Place(spark, folder)
    for pair in group.pairs:
        place.add(pair, 0)
    place.start(place.programs(group, new=False), group.old)
    for pair in group.pairs:
        place.add(pair, 1)
    there = contents(folder)
    try:
        place.start(place.programs(group, new=True), group.new)
    except CompiledPlanError as fault:
        problems = [f"{pair}\nis not named\n{fault}" for pair in group.pairs if f"{pair.name}_" not in str(fault)]
        changed = [str(path) for path in there.keys() ^ contents(folder).keys()]
        return problems + ([f"{group}\nchanged {changed}"] if contents(folder) != there else [])
    return [f"{group}\n{', '.join(str(pair.seed) for pair in group.pairs)} are not refused"]
