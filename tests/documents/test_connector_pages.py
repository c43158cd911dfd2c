"""The examples of Flink's connector and format pages compile unchanged, with the options they name.

`connector_pages.toml` has them, and `connector_values.toml` other values of their options. Flink 2.3 compiled
each, with its connectors for Kafka (5.0) and JDBC (4.0): its plans have the same options, and it refuses those in
`FLINKS`.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.errors import CompiledPlanError
from compiled_plan.plans.plan import CompiledPlan
from tests.documents.connector_pages import Example, examples

ALL = {example.page: example for example in examples()}
#: Also refused by Flink: a rowtime of microseconds, metadata that the format does not have, a reserved word.
FLINKS = {"upsert-kafka, page views", "ogg, metadata", "protobuf", "avro-variant-confluent"}
VALUES = tomllib.loads(Path(__file__).with_name("connector_values.toml").read_text(encoding="utf-8"))
#: For options of a database without a table on the pages.
DATABASE = {"jdbc": {"url": "jdbc:postgresql://localhost/d"}}
#: Rows of a generator have no key.
ANY_ROWS = "SET 'table.exec.sink.require-on-conflict' = 'false';\n"


def compiled(example: Example, options: Mapping[str, str] | None = None) -> CompiledPlan:
    tables, statement = example.program("t", options)
    return TableEnvironment().compile_script(f"{ANY_ROWS}{tables}EXECUTE {statement};")


def options_of(plan: CompiledPlan, table: str) -> list[dict[str, str]]:
    """The options of a table in each node that uses it."""
    nodes = json.loads(plan.to_json())["nodes"]
    used = [node.get("scanTableSource") or node.get("dynamicTableSink") or {} for node in nodes]
    tables = [item["table"] for item in used if item]
    return [item["resolvedTable"]["options"] for item in tables if item["identifier"].endswith(f"`{table}`")]


@pytest.mark.parametrize("page", [page for page, example in ALL.items() if not example.refused])
def test_examples_compile_unchanged(page: str) -> None:
    example = ALL[page]
    options = {name: value.replace("''", "'") for name, value in example.options.items()}
    assert options_of(compiled(example), "t") == [options] * (example.reads + example.writes)


@pytest.mark.parametrize("page", [page for page, example in ALL.items() if example.refused])
def test_refused_examples_name_the_fault(page: str) -> None:
    with pytest.raises(CompiledPlanError, match=re.escape(ALL[page].refused)) as error:
        compiled(ALL[page])
    assert error.value.remedy


def test_examples_that_flink_refuses_are_refused() -> None:
    assert {page for page in FLINKS if not ALL[page].refused} == set()


def test_ddl_in_other_layouts_is_the_same() -> None:
    """Comments between options, keywords in other case, quoted and unquoted names, options in any order."""
    example = ALL["json"]
    options = [f"  'connector'='kafka' -- which one\n, /* where */ 'topic' = 'user_behavior'{chr(10)}"]
    rest = [(name, value) for name, value in example.options.items() if name not in ("connector", "topic")]
    options += [f"\n   '{name}'\t=   '{value}'" for name, value in reversed(rest)]
    columns = ", ".join(f"`{column.replace(' ', '` ', 1)}" for column in example.columns).lower()
    text = f"create Table t({columns}) with ({','.join(options)}\n)"
    sink = "CREATE TABLE s (n BIGINT) WITH ('connector' = 'blackhole');"
    plans = [
        TableEnvironment().compile_script(f"{ddl};\n{sink}\nINSERT INTO s SELECT user_id FROM t;")
        for ddl in (text, example.ddl("t").rstrip(";\n"))
    ]
    left, right = (json.loads(plan.to_json()) for plan in plans)
    assert left == right


def test_quotes_in_values() -> None:
    """Two quotes are one, and text that looks like a comment or an escape is neither."""
    value = "it''s -- no /* comment */ \\n \"x\""
    example = ALL["json"]
    (read, written) = options_of(compiled(example, {**example.options, "properties.x": value}), "t")
    assert read == written
    assert read["properties.x"] == 'it\'s -- no /* comment */ \\n "x"'


@pytest.mark.parametrize(("of", "option", "values"), VALUES["taken"])
def test_values_that_flink_accepts(of: str, option: str, values: Sequence[str]) -> None:
    for value in values:
        options = {**ALL[of].options, **DATABASE.get(of, {}), option: value}
        assert compiled(ALL[of], options).nodes


@pytest.mark.parametrize("case", [*VALUES["refused"], *VALUES["refused_early"]], ids=lambda case: ", ".join(case[:-1]))
def test_values_that_flink_refuses(case: Sequence[str]) -> None:
    """The error names the option, or the nearest one for an unknown name."""
    of, option, *value, says = case
    options = {**ALL[of].options, **DATABASE.get(of, {})}
    options = {**options, option: value[0]} if value else {key: options[key] for key in options if key != option}
    with pytest.raises(CompiledPlanError) as error:
        compiled(ALL[of], options)
    message, _, near = says.partition("; ")
    assert error.value.message.replace("`default_catalog`.`default_database`.`t`", "t") == message
    assert error.value.remedy.startswith(near) and error.value.remedy
