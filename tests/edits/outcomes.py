"""Outcome of an edit: refused, the same plan, or another one."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from compiled_plan.plans.inspection.checked_plans import read_plan
from compiled_plan.plans.plan import CompiledPlan
from tests.conformance.cases import Case, cases, categories
from tests.edits.edits import Edit, edited

#: Fields without effect on the results.
_SILENT = frozenset(("description", "uid", "comment", "priority", "serializableString", "approximate", "name"))


@dataclass(frozen=True)
class Outcome:
    """An edit of a case's plan. `refusals` are the pointers of its errors; `plan` is None if there are any."""

    seed: int
    case: Case
    edit: Edit
    data: Any
    refusals: tuple[str, ...]
    plan: CompiledPlan | None
    same: bool

    def __str__(self) -> str:
        return f"seed {self.seed}, {self.case.name}: {self.edit}"


def chosen() -> list[Case]:
    """The cases whose plans are edited: those that run."""
    return [case for case in cases(*(name for name in categories() if name != "errors")) if not case.refused_at]


def outcomes(seed: int, count: int, folder: Any, among: list[Case] | None = None) -> Iterator[Outcome]:
    """`count` edits, one after another; edit number n has the seed `seed + n`, which reproduces it."""
    plans = [(case, json.loads(case.flink_plan(folder))) for case in among or chosen()]
    for number in range(seed, seed + count):
        draw = random.Random(number)
        case, data = draw.choice(plans)
        changed, edit = edited(data, draw)
        plan, findings = read_plan(changed)
        pointers = tuple(item.pointer for item in findings)
        same = plan is not None and not pointers and said(plan.to_dict()) == said(data)
        yield Outcome(number, case, edit, changed, pointers, None if pointers else plan, same)


def said(value: Any) -> Any:
    """The content of a plan without names and texts that change nothing."""
    if isinstance(value, dict):
        return {key: said(item) for key, item in value.items() if key not in _SILENT}
    return [said(item) for item in value] if isinstance(value, list) else value
