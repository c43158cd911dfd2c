"""The plans that Flink compiled, for tests over all of them."""

from __future__ import annotations

import copy
import json
import random
from functools import cache
from pathlib import Path
from typing import Any

from compiled_plan.plans.plan import CompiledPlan
from tests.conformance.cases import CASES

TESTS = Path(__file__).parents[1]
FROM_FLINK = tuple(sorted((TESTS / "plans" / "data").glob("*.json")))
CONFORMANCE = tuple(sorted(CASES.glob("*/*/flink-plan.json")))
ALL = CONFORMANCE + FROM_FLINK


def name_of(path: Path) -> str:
    return "/".join(path.parts[-3:-1]) if path.name == "flink-plan.json" else path.stem


_PATHS = {name_of(path): path for path in ALL}
NAMES = tuple(_PATHS)


@cache
def text_of(case: str) -> str:
    return _PATHS[case].read_text(encoding="utf-8")


@cache
def plan_of(case: str) -> CompiledPlan:
    return CompiledPlan.from_json(text_of(case))


def data_of(case: str) -> Any:
    return json.loads(text_of(case))


def in_another_order(data: Any, seed: str) -> tuple[Any, dict[int, int]]:
    """The plan with other ids and its nodes in another order; the new ids by the old ones."""
    shuffled, chance = copy.deepcopy(data), random.Random(seed)
    numbers = chance.sample(range(1000), len(shuffled["nodes"]))
    ids = {node["id"]: number for node, number in zip(shuffled["nodes"], numbers, strict=True)}
    for node in shuffled["nodes"]:
        node["id"] = ids[node["id"]]
    for edge in shuffled["edges"]:
        edge["source"], edge["target"] = ids[edge["source"]], ids[edge["target"]]
    chance.shuffle(shuffled["nodes"])
    return shuffled, ids
