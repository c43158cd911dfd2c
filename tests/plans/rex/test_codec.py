from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest
from hypothesis import given

from compiled_plan import schemas
from compiled_plan.plans.errors import PlanError
from compiled_plan.plans.rex import InputRef, RexNode, input_refs, map_inputs, rex_from_json, rex_to_json, walk
from tests.support.plan_files import ALL
from tests.support.type_strategies import REX

VALIDATOR = jsonschema.Draft202012Validator({"$ref": "#/$defs/RexNode", "$defs": schemas.load()["$defs"]})


@given(REX)
def test_expressions_survive_a_round_trip_and_fit_the_schema(rex: RexNode) -> None:
    written = json.loads(json.dumps(rex_to_json(rex)))
    assert rex_from_json(written) == rex
    VALIDATOR.validate(written)


def expressions(value: Any) -> list[Any]:
    if isinstance(value, dict):
        if value.get("type") == "stream-exec-process-table-function_1":
            # A table is an argument of its call, which is no expression over columns.
            return []
        if value.get("kind") in ("CALL", "LITERAL", "INPUT_REF", "FIELD_ACCESS"):
            return [value]
        return [expression for item in value.values() for expression in expressions(item)]
    return [expression for item in value for expression in expressions(item)] if isinstance(value, list) else []


def test_every_expression_of_flink_reads_and_writes_equal() -> None:
    rexes = [rex for path in ALL for rex in expressions(json.loads(path.read_text(encoding="utf-8")))]
    assert len(rexes) > 900
    for rex in rexes:
        assert json.dumps(rex_to_json(rex_from_json(rex))) == json.dumps(rex)


@given(REX)
def test_shifting_inputs_is_reversible(rex: RexNode) -> None:
    moved = map_inputs(rex, lambda index: index + 7)
    assert input_refs(moved) == {index + 7 for index in input_refs(rex)}
    assert map_inputs(moved, lambda index: index - 7) == rex
    assert sum(isinstance(node, InputRef) for node in walk(moved)) == sum(isinstance(n, InputRef) for n in walk(rex))


@pytest.mark.parametrize(
    ("value", "where", "text"),
    [
        ({"kind": "NOPE"}, "/c/kind", "unknown expression kind 'NOPE'"),
        ({"kind": "INPUT_REF", "type": "INT"}, "/c/inputIndex", "lacks the field `inputIndex`"),
        ({"kind": "CALL", "internalName": "$+$1", "operands": [{"kind": "LITERAL", "value": 1, "type": "INTT"}],
          "type": "INT"}, "/c/operands/0", "INTT"),
        (7, "/c", "must be an object with `kind`"),
    ],
)  # fmt: skip
def test_a_fault_names_its_place(value: Any, where: str, text: str) -> None:
    with pytest.raises(PlanError, match=text.replace("+", r"\+")) as raised:
        rex_from_json(value, "/c")
    assert raised.value.where == where
