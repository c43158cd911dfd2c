from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest

from compiled_plan import schemas
from compiled_plan.plans.nodes.registry import all_node_types
from compiled_plan.plans.nodes.unsupported import OpaqueNode
from compiled_plan.schemas.generate import printed, text
from tests.support.plan_files import NAMES, data_of
from tests.support.tables import failures
from tests.support.tiers import but_wide

pytestmark = pytest.mark.slow

VALIDATOR = jsonschema.Draft202012Validator(schemas.load())
CASE = "join/state_ttl_hint_join"


def test_the_schema_file_is_up_to_date() -> None:
    assert schemas.schema_path().read_text(encoding="utf-8") == text(), "run `make schema`"


@pytest.mark.parametrize("name", ["export", "import", "plan-diff", "plan-test", "state"])
def test_schema_files_are_printed_compactly(name: str) -> None:
    source = schemas.schema_path(name).read_text(encoding="utf-8")
    assert source == printed(json.loads(source)) + "\n"


def test_values_take_one_line_where_they_fit() -> None:
    value = {"a": [1, 2], "b": {"c": None, "d": "12345678"}, "e": {}}
    assert printed(value, width=100) == '{"a": [1, 2], "b": {"c": null, "d": "12345678"}, "e": {}}'
    assert (
        printed(value, width=20)
        == """{
  "a": [1, 2],
  "b": {
    "c": null,
    "d": "12345678"
  },
  "e": {}
}"""
    )
    assert json.loads(printed(value, width=1)) == value


def test_the_schema_is_valid() -> None:
    jsonschema.Draft202012Validator.check_schema(schemas.load())


def test_every_node_type_has_a_definition() -> None:
    for name, model in all_node_types().items():
        schema = schemas.load()["$defs"][model.__name__]
        assert schema["properties"]["type"] == {"const": name}
        assert schema["additionalProperties"] is issubclass(model, OpaqueNode)


def check_valid(name: str) -> None:
    errors = list(VALIDATOR.iter_errors(data_of(name)))
    assert not errors, [(error.json_path, error.message) for error in errors]


@pytest.mark.wide
def test_plans_of_flink_validate() -> None:
    assert failures(check_valid, NAMES) == {}


def paths(value: Any, at: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    """The paths of all objects that Flink closes."""
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    own = [at] if isinstance(value, dict) and at[-1:] not in [("options",), ("configuration",)] else []
    return own + [place for key, item in children for place in paths(item, (*at, key))]


@pytest.mark.parametrize(
    ("case", "step"),
    but_wide(
        [
            (CASE, 4),
            (CASE, 1),
            ("over_range", 1),
            ("group_window_hop", 1),
            ("metadata_columns", 1),
            ("rank_variable", 1),
        ],
        lambda value: value[1] > 1,
    ),
)
def test_every_object_is_closed(case: str, step: int) -> None:
    """`make test` opens each fourth object of a plan, `make test-wide` each of several plans."""
    places = paths(data_of(case))
    assert len(places) > 20
    for place in places[::step]:
        data = data_of(case)
        here = data
        for part in place:
            here = here[part]
        here["extra"] = 1
        assert not VALIDATOR.is_valid(data), place


@pytest.mark.wide
@pytest.mark.parametrize("case", [CASE, "upsert_materialize", "cumulate"])
def test_an_error_is_at_the_place_of_the_fault(case: str) -> None:
    for place in paths(data_of(case)):
        data = data_of(case)
        here = data
        for part in place:
            here = here[part]
        here["extra"] = 1
        errors = list(VALIDATOR.iter_errors(data))
        assert {tuple(error.absolute_path) for error in errors} == {place}


def test_a_missing_state_entry_and_a_wrong_name_are_errors() -> None:
    data = data_of(CASE)
    at = next(number for number, node in enumerate(data["nodes"]) if node["type"] == "stream-exec-join_1")
    data["nodes"][at]["state"][0]["name"] = "leftSate"
    assert not VALIDATOR.is_valid(data)
    data = data_of(CASE)
    data["nodes"][at]["state"].pop()
    assert not VALIDATOR.is_valid(data)
