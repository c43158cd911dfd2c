"""Tables of plans, read as their programs declare them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from compiled_plan.compiling.plan_tables import declared_table, is_readable
from compiled_plan.compiling.previews import preview_plan, table_preview_plan
from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.errors import PlanError
from compiled_plan.plans.plan import CompiledPlan
from compiled_plan.plans.plan.session_options import ZONE, zones_of

SCRIPT = """SET 'table.local-time-zone' = 'Europe/Rome';
CREATE CATALOG c WITH ('type' = 'generic_in_memory');
CREATE DATABASE c.d;
CREATE TABLE c.d.`or.ders` (
  id INT NOT NULL COMMENT 'a key',
  ts TIMESTAMP_LTZ(3),
  `odd ``n` ROW<a INT, b ARRAY<STRING>>,
  day_ AS DATE_FORMAT(ts, 'yyyy'),
  p AS PROCTIME(),
  part INT METADATA FROM 'partition' VIRTUAL,
  `offset` BIGINT METADATA VIRTUAL,
  WATERMARK FOR ts AS ts - INTERVAL '5' SECOND
) WITH ('connector' = 'kafka', 'topic' = 't', 'properties.bootstrap.servers' = 'h:1', 'format' = 'json',
  'scan.startup.mode' = 'earliest-offset', 'properties.group.id' = 'g');
CREATE TABLE sums (id INT, n BIGINT, PRIMARY KEY (id) NOT ENFORCED)
  WITH ('connector' = 'jdbc', 'url' = 'jdbc:postgresql://h/d', 'table-name' = 's');
CREATE TABLE printed (id INT) WITH ('connector' = 'print');
EXECUTE STATEMENT SET BEGIN
INSERT INTO sums SELECT id, COUNT(*) FROM c.d.`or.ders` GROUP BY id;
INSERT INTO printed SELECT id FROM c.d.`or.ders`;
INSERT INTO printed VALUES (1);
END;
"""


@pytest.fixture(scope="module")
def plan() -> CompiledPlan:
    # As a stored plan, whose program is not known.
    return CompiledPlan.from_json(TableEnvironment().compile_script(SCRIPT).to_json())


def node(plan: CompiledPlan, text: str) -> int:
    return next(item.id for item in (*plan.sources, *plan.sinks) if text in item.description)


def document(preview: CompiledPlan) -> Any:
    """A preview without the identifiers of its tables."""
    nodes = json.loads(preview.to_json())["nodes"]
    del nodes[0]["scanTableSource"]["table"]["identifier"]
    del nodes[-1]["dynamicTableSink"]["table"]
    return [{**item, "description": ""} for item in nodes]


@pytest.mark.parametrize(
    ("table", "path"), [("or.ders", "c.d.`or.ders`"), ("sums", "default_catalog.default_database.sums")]
)
def test_a_preview_equals_that_of_the_program(plan: CompiledPlan, table: str, path: str) -> None:
    at = node(plan, table)
    assert is_readable(plan, at)
    assert document(table_preview_plan({}, plan, at, 7)) == document(preview_plan({}, SCRIPT, path, 7))


def test_a_node_without_a_table_to_read(plan: CompiledPlan) -> None:
    inner = next(item.id for item in plan.nodes if item.kind == "group-aggregate")
    values = next(item.id for item in plan.sources if item.kind == "values")
    for at in (inner, values, 999):
        assert not is_readable(plan, at)
        with pytest.raises(PlanError, match="the node has no table to read"):
            declared_table(plan, at)
    assert not is_readable(plan, node(plan, "printed"))


def test_only_the_name_of_a_table(plan: CompiledPlan) -> None:
    shortened = json.loads(plan.to_json())
    source = next(item for item in shortened["nodes"] if "or.ders" in item["description"])
    del source["scanTableSource"]["table"]["resolvedTable"]
    named = CompiledPlan.from_json(json.dumps(shortened))
    assert not is_readable(named, source["id"])
    with pytest.raises(PlanError, match=r"only the name of the table .*or\.ders"):
        declared_table(named, source["id"])


ZONED = """SET 'table.local-time-zone' = 'Europe/Rome';
CREATE TABLE visits (ts TIMESTAMP_LTZ(3), n INT) WITH ('connector' = 'filesystem', 'path' = 'v', 'format' = 'json');
CREATE TABLE printed (n INT) WITH ('connector' = 'print');
INSERT INTO printed SELECT n FROM visits;
"""


@pytest.mark.parametrize(
    ("program", "settings", "zone"),
    [
        (ZONED, {}, "Europe/Rome"),
        ("", {ZONE: "Asia/Tokyo"}, "Asia/Tokyo"),
        (ZONED, {ZONE: "Asia/Tokyo"}, "Europe/Rome"),
        (f"{ZONED} RESET '{ZONE}'; SET 'wrong; CREATE FUNCTION", {}, "UTC"),
        ("", {}, "UTC"),
    ],
)
def test_the_zone_of_the_program_of_a_plan_that_stores_none(program: str, settings: dict[str, str], zone: str) -> None:
    plan = CompiledPlan.from_json(TableEnvironment().compile_script(ZONED).to_json())
    assert zones_of(plan) == ()
    preview = table_preview_plan(settings, plan, plan.sources[0].id, 5, program)
    assert zones_of(preview) == (zone,)


def test_the_zone_of_a_plan_goes_before_that_of_the_program(plan: CompiledPlan) -> None:
    assert zones_of(plan) == ("Europe/Rome",)
    program = SCRIPT.replace("Europe/Rome", "Asia/Tokyo")
    assert zones_of(table_preview_plan({}, plan, node(plan, "or.ders"), 5, program)) == ("Europe/Rome",)


def test_the_zone_of_a_statement_without_expressions_that_depend_on_it() -> None:
    assert zones_of(preview_plan({}, ZONED, "visits", 5)) == ("Europe/Rome",)
