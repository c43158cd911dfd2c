"""Program tables of a query's sources."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.execution.stages.prepared import prepare
from compiled_plan.plans.execution.tables import sources
from compiled_plan.plans.execution.tables.sources import NO_TABLE, ReadTable, SourceTables

PROGRAM = """
CREATE TABLE a (id INT) WITH ('connector' = 'datagen');
CREATE TABLE b (id INT) WITH ('connector' = 'print');
INSERT INTO b SELECT x.id FROM a AS x JOIN a AS y ON x.id = y.id UNION ALL VALUES (7);
"""


def test_a_table_is_found_by_the_name_of_its_source(monkeypatch: pytest.MonkeyPatch) -> None:
    prepared = prepare(TableEnvironment().compile_script(PROGRAM))
    (table,), (values,) = prepared.tables, prepared.values
    tables = SourceTables.of(cast(Any, None), prepared, {table: "a", values: "values_v1"})
    scans = tuple(scan.id for scan in prepared.tables[table].scans)
    assert tables.by_name == {
        "a": ReadTable("default_catalog.default_database.a", scans),
        "values_v1": ReadTable("", (values,)),
    }
    class_ = SimpleNamespace(of=lambda _: '["values_v1", "a_end", "", "a"]')
    classes = {"org.compiledplan.kernel.host.input.SourceNames": class_}
    monkeypatch.setattr(sources, "java_class", lambda _, name: classes[name])
    named = SourceTables(cast(Any, None), tables.by_name)
    query = cast(Any, SimpleNamespace(_jsq=None))
    assert [source.nodes for source in named.read_by(query)] == [(values,), (), (), scans]
    assert named.read_by(query)[1] is NO_TABLE
