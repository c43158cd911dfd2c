from __future__ import annotations

import json

import jsonschema
import pytest
from hypothesis import given

from compiled_plan import schemas
from compiled_plan.plans import types as t
from compiled_plan.plans.errors import PlanError
from compiled_plan.plans.types import parse_type, type_from_json, type_to_json
from tests.support.type_strategies import TIMED_ROWS, TYPES


def schema(definition: str) -> jsonschema.Draft202012Validator:
    return jsonschema.Draft202012Validator({"$ref": f"#/$defs/{definition}", "$defs": schemas.load()["$defs"]})


@given(TYPES)
def test_a_string_reads_back_as_the_type_it_says(type_: t.LogicalType) -> None:
    assert parse_type(str(type_)) == type_


@given(TYPES | TIMED_ROWS)
def test_json_reads_back_and_fits_the_schema(type_: t.LogicalType) -> None:
    written = json.loads(json.dumps(type_to_json(type_)))
    assert type_from_json(written) == type_
    assert type_to_json(type_from_json(written)) == written
    schema("LogicalType").validate(written)


@given(TIMED_ROWS)
def test_only_what_no_string_can_say_needs_an_object(row: t.RowType) -> None:
    timed = any(isinstance(f.type, t.TimestampBase) and f.type.is_time_attribute for f in row.fields)
    empty = any(isinstance(f.type, t.CharacterType | t.BytesType) and f.type.length == 0 for f in row.fields)
    assert isinstance(type_to_json(row), dict) == (timed or empty)


@pytest.mark.parametrize(
    "text",
    [
        "INT",
        "VARCHAR(2147483647) NOT NULL",
        "DECIMAL(10, 2)",
        "TIMESTAMP(3) WITH LOCAL TIME ZONE NOT NULL",
        "ROW<`a b` INT NOT NULL, `c``d` ARRAY<VARCHAR(3) NOT NULL>> NOT NULL",
        "ROW<`x` INT 'it''s'>",
        "MAP<VARCHAR(2147483647), MULTISET<INT>>",
        "INTERVAL DAY(3) TO SECOND(6) NOT NULL",
        "INTERVAL HOUR NOT NULL",
        "STRUCTURED<'com.acme.User', `name` VARCHAR(2147483647), `age` INT NOT NULL>",
        "RAW('java.lang.Object', 'AQID')",
        "VARIANT",
        "BITMAP NOT NULL",
    ],
)
def test_strings_of_flink(text: str) -> None:
    assert str(parse_type(text)) == text


@pytest.mark.parametrize(
    "text", ["", "INTT", "ROW<`a` INT", "DECIMAL(39, 2)", "ARRAY<>", "INT NOT", "INT INT", "VARCHAR(0)"]
)
def test_what_is_no_type_is_refused(text: str) -> None:
    with pytest.raises(PlanError):
        parse_type(text)


@pytest.mark.parametrize("value", [1, None, [], {}, {"type": "ROW"}, {"type": "ARRAY"}, {"type": "NOPE"}])
def test_json_that_is_no_type_is_refused(value: object) -> None:
    with pytest.raises(PlanError):
        type_from_json(value)
