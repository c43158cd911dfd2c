"""The planner makes of SQL the row expressions that Flink's plans have for it (fixtures of the executor)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from compiled_plan.plans.rex.codec import rex_to_json
from compiled_plan.plans.types import parse_type
from tests.plans.execution.expressions.recorded import FIXTURES
from tests.support.compiled_expressions import compiled


def named(rex: Any, names: tuple[str, ...]) -> Any:
    """Row expression as JSON, with the names of columns instead of their positions."""
    match rex:
        case {"kind": "INPUT_REF", "inputIndex": index}:
            return names[index]
        case dict():
            return {key: named(value, names) for key, value in rex.items()}
        case list():
            return [named(item, names) for item in rex]
    return rex


@pytest.mark.sampled(2)
@pytest.mark.parametrize("path", sorted(FIXTURES.glob("*.json")), ids=lambda path: path.stem)
def test_expressions_are_those_of_flink(path: Path) -> None:
    document = json.loads(path.read_text(encoding="utf-8"))
    items = [item for item in document["cases"] if "rex" in item and not item.get("differs")]
    if not items:
        return  # VARIANT has no form in Flink's plans.
    projection, names = compiled([item["sql"] for item in items], document["columns"], document["zone"])
    wrong = []
    for item, rex in zip(items, projection, strict=True):
        own = named(rex_to_json(rex), names)
        flinks = named(item["rex"], tuple(parse_type(item["inputs"]).names))  # type: ignore[attr-defined]
        if own != flinks:
            wrong.append(f"{item['sql']}\n  here  {json.dumps(own)}\n  Flink {json.dumps(flinks)}")
    assert not wrong, "\n".join(wrong)
