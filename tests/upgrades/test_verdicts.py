"""Every kind of change of `docs/reference/changes.md` by name: its verdict here, and Flink's."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from compiled_plan.plans.execution.state.upgrade.refusing import UpgradeError
from compiled_plan.plans.inspection.diff.build import diff_plans
from compiled_plan.plans.inspection.diff.flink import Fate
from compiled_plan.plans.inspection.judging.verdicts import Verdict, worst
from tests.plans.execution.state.upgrade.checkpoints import decided, started
from tests.upgrades.bench import contents
from tests.upgrades.kinds import KINDS
from tests.upgrades.kinds.model import Elsewhere, Kind
from tests.upgrades.programs import compiled, flink_of, in_flink
from tests.upgrades.savepoints import ACCEPTED, REFUSED, answers, unclaimed_then


def named(kinds: Sequence[Kind]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("kind", kinds, ids=lambda kind: kind.name)


def test_the_table_is_long_enough(root: Path) -> None:
    assert len(KINDS) >= 40
    assert len({kind.name for kind in KINDS}) == len(KINDS)
    assert f"[{len(KINDS)} kinds of change]" in (root / "README.md").read_text()


@named(KINDS)
def test_the_verdict(kind: Kind) -> None:
    old, new = (compiled(kind, is_new, Path("/data")) for is_new in (False, True))
    diff = diff_plans(old, new)
    if kind.warm_up:
        empty = [operator.new_node for operator in diff.operators if operator.old_node is None]
        diff = diff_plans(old, new, [node for node in empty if node is not None])
    said = "\n".join(map(str, diff.parts))
    assert worst(operator.verdict for operator in diff.operators) is kind.state, said
    assert diff.verdict is kind.verdict, said
    low = [part for part in diff.parts if part.verdict is not Verdict.FULL]
    assert all(part.why for part in low), "every verdict below full has its reason"
    if kind.names:
        assert any(kind.names in str(part) for part in low), said


def test_a_sink_is_judged_by_its_own_state() -> None:
    kind = next(kind for kind in KINDS if kind.name == "sink-conflict-strategy")
    diff = diff_plans(*(compiled(kind, is_new, Path("/data")) for is_new in (False, True)))
    (sink,) = diff.sinks
    assert sink.verdict is Verdict.PARTIAL and "the old strategy determined the stored rows" in sink.why


@pytest.mark.wide
@pytest.mark.slow
@named([kind for kind in KINDS if kind.verdict.rank > Verdict.PARTIAL.rank or kind.wrong is not None])
def test_a_refused_start_names_the_difference(kind: Kind, tmp_path: Path) -> None:
    """A start without Spark; `test_kinds` starts a few kinds with it."""
    old, new = (compiled(kind, is_new, Path("/data")) for is_new in (False, True))
    store = started(tmp_path, old)
    before = contents(tmp_path)
    with pytest.raises(UpgradeError) as refused:
        decided(store, new, upgrade="check" if kind.wrong is not None else "migrate-partial")
    lines = str(refused.value).splitlines()
    assert any((f", {kind.says}" if kind.wrong is not None else kind.names) in line for line in lines), lines
    assert contents(tmp_path) == before


@pytest.mark.slow
@named([kind for kind in KINDS if kind.flink is not Elsewhere.ABSENT])
def test_the_verdict_on_flink(kind: Kind) -> None:
    """The verdict in the table is that of Flink, observed by a job, its savepoint, and a start of the other program."""
    diff, answer = flink_of(kind), answers()[kind.name]
    assert in_flink(diff) is kind.flink
    fates = {operator.fate for operator in diff.operators}
    possible = {REFUSED} if Fate.REFUSED in fates else {ACCEPTED, REFUSED} if Fate.UNKNOWN in fates else {ACCEPTED}
    assert answer in {unclaimed_then(candidate) if diff.needs_permission else candidate for candidate in possible}
