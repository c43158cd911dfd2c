"""The folder or table of unreadable records: allowed declarations."""

from __future__ import annotations

import json

import pytest

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.connectors.checks import table_faults
from compiled_plan.plans.connectors.dead_letters import COLUMNS
from compiled_plan.plans.errors import CompiledPlanError, UnsupportedError
from compiled_plan.plans.execution.stages.prepared import prepare
from compiled_plan.plans.inspection.check import check
from compiled_plan.plans.plan import CompiledPlan
from compiled_plan.plans.types import INT, row_of

FILES = {"connector": "filesystem", "path": "/data/in", "format": "json"}
MESSAGES = {"connector": "kafka", "topic": "t", "properties.bootstrap.servers": "b:1", "format": "avro"}


def faults(options: dict[str, str], *, reading: bool = True) -> list[str]:
    return [fault.message for fault in table_faults("t", options, row_of(["a"], [INT]), reading=reading)]


@pytest.mark.parametrize("folder", ["/data/dead", "/data/in-dead", "s3://bucket/dead"])
def test_a_folder_beside_the_table(folder: str) -> None:
    assert faults({**FILES, "dead-letter.path": folder}) == []
    assert faults({**MESSAGES, "dead-letter.path": folder}) == []


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({**FILES, "dead-letter.path": " "}, "is empty"),
        ({**FILES, "dead-letter.path": "/data/in"}, "is in the table's own folder"),
        ({**FILES, "dead-letter.path": "file:///data/in/dead/"}, "is in the table's own folder"),
        ({**FILES, "format": "avro", "dead-letter.path": "/d"}, "is not for files of format 'avro'"),
        ({**FILES, "format": "parquet", "dead-letter.path": "/d"}, "is not for files of format 'parquet'"),
        (
            {**FILES, "dead-letter.path": "/d", "json.ignore-parse-errors": "true"},
            "has both 'dead-letter.path' and 'json.ignore-parse-errors'",
        ),
        ({"connector": "datagen", "dead-letter.path": "/d"}, "connector 'datagen' of table t has no option"),
    ],
)
def test_refused_folders(options: dict[str, str], text: str) -> None:
    assert any(text in message for message in faults(options))


def test_sinks_ignore_the_option() -> None:
    assert faults({**FILES, "dead-letter.path": "/data/in"}, reading=False) == []


# ------------------------------------------------------------ tables of the program

READ = "CREATE TABLE r (a INT) WITH ('connector' = 'filesystem', 'path' = 'in', 'format' = 'json', {options});"
LETTERS = "`table` STRING, reason STRING, `raw` STRING"


def compiled(options: str, letters: str, connector: str = "'connector' = 'print'", more: str = "") -> CompiledPlan:
    text = READ.format(options=options) + f"CREATE TABLE bad ({letters}) WITH ({connector});{more}"
    return TableEnvironment().compile_script(
        f"{text}CREATE TABLE o (a INT) WITH ('connector' = 'blackhole'); INSERT INTO o SELECT a FROM r;"
    )


@pytest.mark.parametrize("name", ["bad", "`bad`", "default_database.bad", "default_catalog.`default_database`.bad"])
def test_a_table_of_the_program_is_in_the_plan(name: str) -> None:
    plan = compiled(f"'dead-letter.table' = '{name}'", LETTERS)
    node = json.loads(plan.to_json())["nodes"][0]
    assert node["deadLetters"]["identifier"] == "`default_catalog`.`default_database`.`bad`"
    assert node["deadLetters"]["resolvedTable"]["options"] == {"connector": "print"}
    assert CompiledPlan.from_json(plan.to_json()).to_json() == plan.to_json()
    assert list(check(plan.to_json())) == []
    assert "deadLetters" not in compiled("'dead-letter.path' = 'd'", LETTERS).to_json()


def test_columns_in_any_order_and_hinted_ones() -> None:
    every = [f"`{field.name}` {field.type}" for field in COLUMNS.fields]
    assert compiled("'dead-letter.table' = 'bad'", ", ".join(reversed(every))).nodes
    table = READ.format(options="'json.fail-on-missing-field' = 'true'")
    text = f"{table}CREATE TABLE bad ({LETTERS}) WITH ('connector' = 'print');"
    query = "INSERT INTO o SELECT a FROM r /*+ OPTIONS('dead-letter.table' = 'bad') */;"
    plan = TableEnvironment().compile_script(f"{text}CREATE TABLE o (a INT) WITH ('connector' = 'blackhole');{query}")
    assert "deadLetters" in plan.to_json()


@pytest.mark.parametrize(
    ("options", "letters", "connector", "message"),
    [
        ("'dead-letter.table' = 'worse'", LETTERS, "", "table 'worse', which takes dead letters of .*, is not there"),
        ("'dead-letter.table' = ' '", LETTERS, "", "'dead-letter.table' of table .* is empty"),
        ("'dead-letter.table' = 'v'", LETTERS, "", "table 'v', which takes dead letters of .*, is a view"),
        ("'dead-letter.table' = 'bad', 'dead-letter.path' = 'd'", LETTERS, "", "has both 'dead-letter.path' and"),
        ("'dead-letter.table' = 'bad', 'json.ignore-parse-errors' = 'true'", LETTERS, "", "no record would get there"),
        ("'dead-letter.table' = 'bad'", "a INT", "", "takes dead letters, and they have no 'a'"),
        ("'dead-letter.table' = 'bad'", "line INT", "", "column 'line' is INT where they have BIGINT"),
        ("'dead-letter.table' = 'bad'", "reason STRING NOT NULL", "", "is VARCHAR.* NOT NULL where they have VARCHAR"),
        ("'dead-letter.table' = 'bad'", LETTERS, "'connector' = 'datagen'", "can only be read, not written"),
        ("'dead-letter.table' = 'bad'", LETTERS, "'connector' = 'print', 'x' = 'y'", "has no option 'x'"),
        ("'dead-letter.table' = 'bad'", LETTERS, "'connector' = 'kinesis'", "connector 'kinesis' is not supported"),
        (
            "'dead-letter.table' = 'bad'",
            f"{LETTERS}, h MAP<STRING, BYTES> METADATA FROM 'headers'",
            "'connector' = 'kafka', 'topic' = 't', 'properties.bootstrap.servers' = 'h', 'format' = 'json'",
            "they have no metadata for column 'h'",
        ),
    ],
)
def test_tables_that_take_no_dead_letters(options: str, letters: str, connector: str, message: str) -> None:
    view = "CREATE VIEW v AS SELECT * FROM bad;" if "'v'" in options else ""
    connector = connector or "'connector' = 'filesystem', 'path' = 'bad', 'format' = 'json'"
    with pytest.raises(CompiledPlanError, match=message):
        compiled(options, letters, connector, view)


def test_an_option_that_was_edited_into_a_plan() -> None:
    plan = json.loads(compiled("'dead-letter.table' = 'bad'", LETTERS).to_json())
    letters = plan["nodes"][0].pop("deadLetters")
    with pytest.raises(UnsupportedError, match="dead letters for the table 'bad', which the plan does not have"):
        prepare(CompiledPlan.from_json(json.dumps(plan)))
    letters["resolvedTable"]["schema"]["columns"][0]["name"] = "t"
    plan["nodes"][0]["deadLetters"] = letters
    (finding,) = check(json.dumps(plan))
    assert "they have no 't'" in finding.message and finding.pointer.startswith(
        "/nodes/0/deadLetters/resolvedTable/schema"
    )
