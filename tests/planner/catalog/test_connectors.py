"""Connectors and formats: changes, options, metadata."""

from __future__ import annotations

import pytest

from compiled_plan.environment import TableEnvironment
from compiled_plan.planner.catalog.connectors import SourceChangelog, check_usable, sink_changelog, source_changelog
from compiled_plan.planner.catalog.tables import CatalogTable
from compiled_plan.planner.options.session import TableConfig
from compiled_plan.plans.errors import ProgramError, UnsupportedError
from compiled_plan.plans.types.changelog import ChangelogMode

DUPLICATES = TableConfig({"table.exec.source.cdc-events-duplicate": "true"})


def table(options: str, columns: str = "a INT") -> CatalogTable:
    env = TableEnvironment()
    env.execute_sql(f"CREATE TABLE x ({columns}) WITH ({options})")
    catalog_table = env.catalog.find(("x",))
    assert isinstance(catalog_table, CatalogTable)
    return catalog_table


def files(format_: str, columns: str = "a INT", more: str = "") -> CatalogTable:
    return table(f"'connector' = 'filesystem', 'path' = '/p', 'format' = '{format_}'{more}", columns)


KEYED = "a INT, PRIMARY KEY (a) NOT ENFORCED"


@pytest.mark.parametrize(
    ("item", "config", "expected"),
    [
        (files("json"), TableConfig(), SourceChangelog(ChangelogMode.INSERT)),
        (files("json"), DUPLICATES, SourceChangelog(ChangelogMode.INSERT)),
        (files("debezium-json"), TableConfig(), SourceChangelog(ChangelogMode.ALL)),
        (files("canal-json"), TableConfig(), SourceChangelog(ChangelogMode.ALL)),
        (files("maxwell-json", KEYED), DUPLICATES, SourceChangelog(ChangelogMode.ALL, normalize=True)),
        (files("raw"), DUPLICATES, SourceChangelog(ChangelogMode.INSERT)),
        (files("debezium-json", KEYED), DUPLICATES, SourceChangelog(ChangelogMode.ALL, normalize=True)),
        (table("'connector' = 'datagen'"), TableConfig(), SourceChangelog(ChangelogMode.INSERT)),
    ],
)
def test_changelog_modes_of_sources(item: CatalogTable, config: TableConfig, expected: SourceChangelog) -> None:
    assert source_changelog(item, config) == expected


def test_duplicates_need_a_key() -> None:
    with pytest.raises(ProgramError, match="needs a primary key"):
        source_changelog(files("debezium-json"), DUPLICATES)


@pytest.mark.parametrize(
    ("item", "requested", "expected"),
    [
        (files("json"), ChangelogMode.ALL, ChangelogMode.INSERT),
        (files("debezium-json"), ChangelogMode.INSERT, ChangelogMode.ALL),
        (files("canal-json"), ChangelogMode.INSERT, ChangelogMode.ALL),
        (files("maxwell-json"), ChangelogMode.INSERT, ChangelogMode.ALL),
        (files("raw"), ChangelogMode.ALL, ChangelogMode.INSERT),
        (table("'connector' = 'print'"), ChangelogMode.ALL, ChangelogMode.ALL),
        (table("'connector' = 'print'"), ChangelogMode.INSERT, ChangelogMode.INSERT),
        (table("'connector' = 'blackhole'"), ChangelogMode.ALL, ChangelogMode.UPSERT),
    ],
)
def test_changelog_modes_of_sinks(item: CatalogTable, requested: ChangelogMode, expected: ChangelogMode) -> None:
    assert sink_changelog(item, requested) == expected


def test_changes_are_listed_in_the_order_of_plans() -> None:
    assert ChangelogMode.ALL.names() == ["INSERT", "UPDATE_BEFORE", "UPDATE_AFTER", "DELETE"]
    assert ChangelogMode.UPSERT.names() == ["INSERT", "UPDATE_AFTER", "DELETE"]


@pytest.mark.parametrize(
    ("item", "message", "remedy"),
    [
        (files("json", more=", 'pth' = 'x'"), "no option 'pth'", "did you mean 'path'?"),
        (files("json", more=", 'csv.field-delimiter' = ';'"), "no option 'csv.field-delimiter'", ""),
        (files("json", more=", 'json.ignore-parse-errors' = 'maybe'"), "invalid value 'maybe'", "'true' or 'false'"),
        (files("json", more=", 'json.timestamp-format.standard' = 'ISO'"), "invalid value 'ISO'", "SQL, ISO-8601"),
        (files("json", more=", 'source.monitor-interval' = 'soon'"), "invalid value 'soon'", ""),
        (files("json", more=", 'scan.parallelism' = '2'"), "no option 'scan.parallelism'", "sink.parallelism"),
        (files("json", more=", 'path' = ''"), "the path of table", "file or folder"),
        (files("csv", more=", 'csv.quote-character' = 'ab'"), "invalid value 'ab'", "a single character"),
        (files("csv", more=", 'csv.quote-character' = 'a', 'csv.disable-quote-character' = 'true'"), "both be set", ""),
        (files("csv", "m MAP<STRING, INT>"), "format 'csv' cannot hold column 'm'", "json"),
        (files("json", "m MAP<INT, INT>"), "format 'json' cannot hold column 'm'", "STRING"),
        (table("'connector' = 'datagen', 'property-version' = '1'"), "no option 'property-version'", ""),
        (table("'connector' = 'datagen', 'rows-per-second' = '0'"), "invalid value '0'", "above 0"),
        (table("'connector' = 'datagen', 'fields.a.length' = '3'"), "no option 'fields.a.length'", ""),
        (table("'connector' = 'datagen', 'fields.a.min' = '1.5'"), "invalid value '1.5'", "a whole number"),
        (table("'connector' = 'datagen', 'fields.a.start' = '1'"), "no option 'fields.a.start'", ""),
        (table("'connector' = 'datagen', 'fields.a.min' = '2', 'fields.a.max' = '1'"), "larger than", "swap"),
        (files("raw", more=", 'raw.endianness' = 'middle'"), "invalid value 'middle'", "big-endian, little-endian"),
        (files("raw", more=", 'raw.charset' = 'nope'"), "unknown charset, 'nope'", "UTF-8"),
        (files("raw", "a INT, b INT"), "holds one column, and there are 2: a, b", "leave one column"),
        (files("raw", "a DATE"), "column 'a' of type DATE", "STRING"),
        (table("'connector' = 'datagen', 'fields.b.kind' = 'random'"), "no option 'fields.b.kind'", ""),
        (table("'connector' = 'datagen', 'rows-per-second' = 'many'"), "invalid value 'many'", "whole number"),
        (table("'connector' = 'datagen', 'fields.a.kind' = 'sequence'"), "needs the option 'fields.a.start'", "add"),
        (
            files("json", more=", 'json.ignore-parse-errors' = 'true', 'json.fail-on-missing-field' = 'true'"),
            "cannot both be true",
            "",
        ),
        (table("'connector' = 'datagen', 'fields.a.kind' = 'odd'"), "invalid value 'odd'", "random, sequence"),
    ],
)
def test_unknown_and_invalid_options(item: CatalogTable, message: str, remedy: str) -> None:
    with pytest.raises(ProgramError) as caught:
        check_usable(item, reading=True)
    assert message in caught.value.message
    assert remedy in caught.value.remedy


@pytest.mark.parametrize(
    "item",
    [
        files("json", more=", 'json.timestamp-format.standard' = 'ISO-8601', 'source.monitor-interval' = '1 s'"),
        files("parquet", more=", 'parquet.compression' = 'SNAPPY'"),
        files("csv", more=", 'csv.field-delimiter' = ';'"),
        table(
            "'connector' = 'datagen', 'number-of-rows' = '5', 'fields.a.min' = '1', 'fields.r.x.kind' = 'sequence', "
            "'fields.r.x.start' = '1', 'fields.r.x.end' = '9', "
            "'fields.l.element.max' = '3', 'fields.m.value.length' = '2'",
            "a INT, r ROW<x INT>, l ARRAY<INT>, m MAP<INT, STRING>",
        ),
    ],
)
def test_valid_options(item: CatalogTable) -> None:
    check_usable(item, reading=True)


@pytest.mark.parametrize(
    "item",
    [
        table("'connector' = 'print', 'property-version' = '1', 'sink.parallelism' = '1'"),
        table("'connector' = 'blackhole', 'property-version' = 'any'"),
        files(
            "json", more=", 'property-version' = '1', 'json.of-no-such-name' = 'x', 'source.monitor-interval' = '1 s'"
        ),
        files("maxwell-json", more=", 'maxwell-json.table.include' = 'x'"),
    ],
)
def test_options_that_flink_ignores_are_accepted(item: CatalogTable) -> None:
    reading = item.option("connector") == "filesystem"
    check_usable(item, reading=reading)


@pytest.mark.parametrize("option", ["source.path.regex-pattern", "sink.partition-commit.policy.class"])
def test_an_unsupported_option_is_refused(option: str) -> None:
    with pytest.raises(UnsupportedError, match=f"option '{option}'"):
        check_usable(files("json", more=f", '{option}' = 'x'"), reading=True)


@pytest.mark.attack
@pytest.mark.parametrize("name", ["../x", "a/b", "..", "", "a\\b", "a\nb"])
def test_a_marker_of_partitions_is_a_file_in_its_folder(name: str) -> None:
    options = f", 'sink.partition-commit.success-file.name' = '{name}'"
    with pytest.raises(ProgramError, match="is no name of a file") as error:
        check_usable(files("json", more=options), reading=False)
    assert error.value.remedy
    check_usable(files("json", more=options.replace(f"'{name}'", "'..done'")), reading=False)


@pytest.mark.attack
@pytest.mark.parametrize(
    ("name", "good"),
    [
        *((name, True) for name in ("t", "shop.orders", "a.b.c", '"b c".`d`', "[dbo].[t]", "my table", "order-items")),
        *((name, False) for name in ("(SELECT 1) t", "f(1)", "a, b", "a;b", "", "a..b", "a.", '"a', 'a"b', "t -- '")),
    ],
)
def test_the_table_of_a_database_is_a_name(name: str, good: bool) -> None:
    quoted = name.replace("'", "''")
    item = table(f"'connector' = 'jdbc', 'url' = 'jdbc:postgresql://h/d', 'table-name' = '{quoted}'")
    if good:
        check_usable(item, reading=True)
    else:
        with pytest.raises(ProgramError, match="is no name of a table") as error:
            check_usable(item, reading=True)
        assert "view" in error.value.remedy


SOURCE = """CREATE TABLE x (a INT) WITH (
  'connector' = 'filesystem', {}
);
INSERT INTO b SELECT a FROM x{}"""


@pytest.mark.parametrize(
    ("options", "hint", "message", "remedy", "marked"),
    [
        ("'pth' = '/p', 'format' = 'json'", "", "has no option 'pth'", "did you mean 'path'?", "'pth' = '/p'"),
        ("'path' = '/p', 'fromat' = 'json'", "", "no option 'fromat'", "did you mean 'format'?", "'fromat' = 'json'"),
        ("'path' = '/p', 'format' = 'jsn'", "", "no format is named 'jsn'", "did you mean 'json'?", "'format' = 'jsn'"),
        (
            "'path' = '/p', 'format' = 'jsn', 'sourc.path' = 'x', 'json.fail-on-missing-field' = 'x'",
            "",
            "no option 'sourc.path'",
            "one of: ",
            "'sourc.path' = 'x'",
        ),
        (
            "'path' = '/p', 'format' = 'json', 'source.monitor-interval' = '5x'",
            "",
            "invalid value '5x'",
            "unit of time",
            "'source.monitor-interval' = '5x'",
        ),
        ("'format' = 'json'", " /*+ OPTIONS('pth' = '/p') */", "no option 'pth'", "'path'", "'pth' = '/p'"),
        ("'format' = 'json'", "", "lacks the option 'path'", "add 'path'", "x"),
    ],
)
def test_an_option_error_points_at_the_option(options: str, hint: str, message: str, remedy: str, marked: str) -> None:
    env = TableEnvironment()
    env.execute_sql("CREATE TABLE b (a INT) WITH ('connector' = 'blackhole')")
    with pytest.raises(ProgramError) as caught:
        env.compile_script(SOURCE.format(options, hint))
    assert message in caught.value.message
    assert remedy in caught.value.remedy
    *_, line, carets = caught.value.where.splitlines()
    assert "".join(char for char, caret in zip(line, carets, strict=False) if caret == "^") == marked


@pytest.mark.parametrize(
    ("options", "version"),
    [
        ("'connector' = 'delta', 'path' = '/t', 'scan.mode' = 'batch'", "versionAsOf"),
        ("'connector' = 'delta', 'path' = '/t', 'scan.mode' = 'batch'", "timestampAsOf"),
        ("'connector' = 'iceberg', 'catalog-name' = 'lake', 'catalog-table' = 't'", "snapshot-id"),
        ("'connector' = 'iceberg', 'catalog-name' = 'lake', 'catalog-table' = 't'", "as-of-timestamp"),
    ],
)
def test_a_lookup_of_a_version_is_refused(options: str, version: str) -> None:
    table = f"CREATE TABLE t (k INT, v INT) WITH ({options}, '{version}' = '1');\n"
    query = (
        "CREATE TABLE s (k INT, p AS PROCTIME()) WITH ('connector' = 'datagen');\n"
        "CREATE TABLE o (v INT) WITH ('connector' = 'print');\n"
        "INSERT INTO o SELECT t.v FROM s JOIN t FOR SYSTEM_TIME AS OF s.p ON s.k = t.k;"
    )
    with pytest.raises(UnsupportedError, match=f"a lookup reads the newest rows of .*t`, and '{version}' names a"):
        TableEnvironment().compile_script(table + query)
