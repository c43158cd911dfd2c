"""Options of formats have Flink's effect, whose results for the same tables are recorded here."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.connectors.registry import format_specs
from compiled_plan.plans.errors import CompiledPlanError
from compiled_plan.plans.execution.run import Run
from compiled_plan.plans.execution.session.options import RunOptions
from tests.support import format_options

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

FLINK = Path(__file__).with_name("flink_options.json")
_JSON = (
    "ignore-parse-errors timestamp-format.standard map-null-key.mode map-null-key.literal "
    "encode.decimal-as-plain-number encode.ignore-null-fields"
)
_REGISTRY = (
    "url subject schema ssl.keystore.location ssl.keystore.password ssl.truststore.location ssl.truststore.password "
    "basic-auth.credentials-source basic-auth.user-info bearer-auth.credentials-source bearer-auth.token"
)
#: The options of Flink 2.3's factories by format; `properties` is a group of options there.
OPTIONS = {
    "avro": "codec encoding timestamp_mapping.legacy",
    "avro-confluent": _REGISTRY,
    "canal-json": f"{_JSON} database.include table.include",
    "csv": "field-delimiter disable-quote-character quote-character allow-comments ignore-parse-errors "
    "array-element-delimiter escape-character null-literal write-bigdecimal-in-scientific-notation "
    "trim-spaces ignore-trailing-unmappable allow-trailing-comma fail-on-missing-columns empty-string-as-null",
    "debezium-avro-confluent": _REGISTRY,
    "debezium-json": f"{_JSON} schema-include",
    "json": f"{_JSON} fail-on-missing-field decode.json-parser.enabled",
    "maxwell-json": _JSON,
    "ogg-json": _JSON,
    "protobuf": "message-class-name ignore-parse-errors read-default-values write-null-string-literal",
    "raw": "charset endianness",
}


@pytest.mark.parametrize("name", OPTIONS)
def test_every_option_of_flink_is_declared(name: str) -> None:
    assert set(OPTIONS[name].split()) - set(format_specs()[name].options) == set()


def test_every_option_of_lines_has_a_table_that_needs_it() -> None:
    cases = [*format_options.READS.values(), *format_options.WRITES.values()]
    tried = {option for case in cases for option in case.options}
    formats = ("json", "csv", "raw", "debezium-json", "canal-json", "maxwell-json")
    # Failing cases have tests of their own, and so have NULL keys, which no Spark expression puts into a map.
    assert {option for name in formats for option in OPTIONS[name].split()} - tried == {
        "fail-on-missing-field",
        "fail-on-missing-columns",
        "map-null-key.mode",
        "map-null-key.literal",
    }


@pytest.mark.deep
def test_results_are_those_of_flink(spark: SparkSession, tmp_path: Path) -> None:
    plan = TableEnvironment().compile_script(format_options.program(tmp_path / "all"))
    Run(spark, plan, RunOptions()).execute()
    expected = json.loads(FLINK.read_text(encoding="utf-8"))
    results = format_options.results(tmp_path / "all")
    # Flink's file writer accepts this option and ignores it; its message writer does not.
    assert expected.pop("w-csv-plain") == ["2.7E-8,1E+5"]
    assert results.pop("w-csv-plain") == ["0.000000027,100000"]
    assert {name: lines for name, lines in results.items() if lines != expected[name]} == {}
    assert results == expected


@pytest.mark.wide
def test_a_map_with_a_null_key_ends_the_run(spark: SparkSession, tmp_path: Path) -> None:
    """Spark's maps have no null keys, whatever `map-null-key.mode` says; of duplicate keys the last counts."""
    program = """
        CREATE TABLE o (m MAP<STRING, INT>) WITH (
          'connector' = 'filesystem', 'path' = '{path}', 'format' = 'json', 'json.map-null-key.mode' = 'DROP');
        INSERT INTO o SELECT MAP[k, 1, 'b', 2, 'b', 3] FROM (VALUES ('a'), ({last})) AS t(k);
    """
    fine = program.format(path=tmp_path / "fine", last="'c'")
    Run(spark, TableEnvironment().compile_script(fine), RunOptions()).execute()
    lines = [line for file in (tmp_path / "fine").glob("*.json") for line in file.read_text().splitlines()]
    assert sorted(lines) == ['{"m":{"a":1,"b":3}}', '{"m":{"c":1,"b":3}}']
    wrong = program.format(path=tmp_path / "wrong", last="CAST(NULL AS STRING)")
    with pytest.raises(CompiledPlanError, match="a map gets a NULL key"):
        Run(spark, TableEnvironment().compile_script(wrong), RunOptions()).execute()
