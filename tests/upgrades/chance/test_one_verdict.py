"""Random pairs: `diff-plan`, the service and a start, dry or not, give the same verdict per operator.

Without Spark: the old program's checkpoint is written as a start writes it. `VERDICT_PAIRS` is the number of pairs,
`UPGRADE_SEED` the seed of the first.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from compiled_plan.cli.comparing.sides import side_of
from compiled_plan.compiling.scripts import Session
from compiled_plan.plans.execution.state.upgrade.refusing import UpgradeError
from compiled_plan.plans.inspection.diff.build import diff_plans
from compiled_plan.plans.inspection.diff.model import PlanDiff
from compiled_plan.plans.inspection.judging.verdicts import Verdict
from compiled_plan.service.workers.tasks.stored import diff as diff_by_service
from tests.plans.execution.state.upgrade.checkpoints import decided, started
from tests.upgrades.chance.pairs import Pair, pair

pytestmark = pytest.mark.slow

SEED = int(os.environ.get("UPGRADE_SEED", "1"))


def verdicts(diff: PlanDiff) -> list[tuple[Any, ...]]:
    """Each operator, source and sink with its verdict and reason, and the overall verdict."""
    parts = [(getattr(part, "uid", "") or getattr(part, "name", ""), part.verdict, part.why) for part in diff.parts]
    return [*parts, *((edit.property, edit.verdict, edit.why) for edit in diff.whole), ("all", diff.verdict, "")]


def by_start(root: Path, pair: Pair) -> PlanDiff:
    """The comparison of a start, which proceeds only if the verdict allows it."""
    store = started(root, pair.old.compiled(Path("/random")))
    new = pair.new.compiled(Path("/random"))
    try:
        decision = decided(store, new)
    except UpgradeError as refused:
        assert refused.diff is not None
        if refused.diff.verdict is not Verdict.PARTIAL:
            with pytest.raises(UpgradeError):
                decided(store, new, upgrade="migrate-partial")
        else:
            assert decided(store, new, upgrade="migrate-partial").verdict is Verdict.PARTIAL
        assert refused.diff.verdict is not Verdict.FULL
        return refused.diff
    assert decision.diff is not None
    assert decision.verdict is decision.diff.verdict is Verdict.FULL
    return decision.diff


def disagreements(root: Path, pair: Pair) -> list[str]:
    """Interfaces whose verdicts differ from those of the start."""
    said = by_start(root, pair)
    before = side_of(str(root), Session({}), print)
    (root / "new.json").write_text(pair.new.compiled(Path("/random")).to_json())
    after = side_of(str(root / "new.json"), Session({}), print)
    command = diff_plans(before.plan, after.plan, runs=(before.run, after.run))
    held = next(root.glob("generations/1/compiled-plan/programs/*"))
    page = diff_by_service(
        (held / "plan.json").read_text(), after.plan.to_json(), "old", "new", (held / "description.json").read_text()
    )
    differences = (
        [] if verdicts(command) == verdicts(said) else [f"diff-plan: {verdicts(command)}\nstart: {verdicts(said)}"]
    )
    words = [part["verdict"] for key in ("operators", "sources", "sinks") for part in page[key]]
    if words != [part.verdict.name.lower() for part in said.parts]:
        differences.append(f"service: {json.dumps(words)}\nstart: {verdicts(said)}")
    return [f"{pair}\n{text}" for text in differences]


def tried(folder: Path, count: int) -> list[str]:
    return [text for seed in range(SEED, SEED + count) for text in disagreements(folder / str(seed), pair(seed))]


@pytest.mark.wide
def test_all_interfaces_give_the_same_verdicts(tmp_path: Path) -> None:
    assert tried(tmp_path, 40) == []


@pytest.mark.deep
def test_all_interfaces_give_the_same_verdicts_on_many_pairs(tmp_path: Path) -> None:
    assert tried(tmp_path, int(os.environ.get("VERDICT_PAIRS", "1000"))) == []
