"""Programs that write one of several queries to one of several sinks, and the sink's fields in the plan."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

_COLUMNS = "a INT, b BIGINT, c INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts"
_FILES = "'connector' = 'filesystem', 'path' = '/tmp/rows'"
SOURCES = {
    "s": f"CREATE TABLE s ({_COLUMNS}) WITH ({_FILES}, 'format' = 'json')",
    "unmarked": f"CREATE TABLE unmarked (a INT, b BIGINT, c INT) WITH ({_FILES}, 'format' = 'json')",
    "by_a": f"CREATE TABLE by_a ({_COLUMNS}, PRIMARY KEY (a) NOT ENFORCED) WITH ({_FILES}, 'format' = 'json')",
    "cdc": f"CREATE TABLE cdc ({_COLUMNS}) WITH ({_FILES}, 'format' = 'debezium-json')",
    "cdc_by_a": f"CREATE TABLE cdc_by_a ({_COLUMNS}, PRIMARY KEY (a) NOT ENFORCED) "
    f"WITH ({_FILES}, 'format' = 'debezium-json')",
    "cdc_by_b": f"CREATE TABLE cdc_by_b ({_COLUMNS}, PRIMARY KEY (b) NOT ENFORCED) "
    f"WITH ({_FILES}, 'format' = 'debezium-json')",
}
#: Over a sink with the columns `a` and `b`.
QUERIES = {
    "inserts": "SELECT a, b FROM s",
    "inserts without watermarks": "SELECT a, b FROM unmarked",
    "inserts by a": "SELECT a, b FROM by_a",
    "constant rows": "SELECT * FROM (VALUES (1, CAST(2 AS BIGINT)), (1, CAST(3 AS BIGINT))) AS v(a, b)",
    "first rows by a": "SELECT a, b FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY a ORDER BY ts) AS n FROM s) "
    "WHERE n = 1",
    "updates by a": "SELECT a, SUM(b) AS b FROM s GROUP BY a",
    "updates by b": "SELECT MAX(a) AS a, b FROM s GROUP BY b",
    "updates by b without watermarks": "SELECT MAX(a) AS a, b FROM unmarked GROUP BY b",
    "updates by another column": "SELECT MAX(a) AS a, SUM(b) AS b FROM s GROUP BY c",
    "updates of one row": "SELECT MAX(a) AS a, SUM(b) AS b FROM s",
    "changes by a": "SELECT a, SUM(b) AS b FROM cdc GROUP BY a",
    "changes by b": "SELECT MAX(a) AS a, b FROM cdc GROUP BY b",
    "changes without a key": "SELECT a, b FROM cdc",
    "captured by a": "SELECT a, b FROM cdc_by_a",
    "captured by b": "SELECT a, b FROM cdc_by_b",
    "padded by a": "SELECT x.a, y.b FROM cdc_by_a AS x LEFT JOIN by_a AS y ON x.a = y.a",
}
_KAFKA = "'topic' = 'k', 'properties.bootstrap.servers' = 'localhost:9092'"
_CONNECTORS = {
    "jdbc": "'connector' = 'jdbc', 'url' = 'jdbc:postgresql://localhost/x', 'table-name' = 'k'",
    "upsert-kafka": f"'connector' = 'upsert-kafka', {_KAFKA}, 'key.format' = 'json', 'value.format' = 'json'",
    "kafka, debezium-json": f"'connector' = 'kafka', {_KAFKA}, 'format' = 'debezium-json'",
    "filesystem, json": f"{_FILES}, 'format' = 'json'",
    "filesystem, debezium-json": f"{_FILES}, 'format' = 'debezium-json'",
    "print": "'connector' = 'print'",
    "blackhole": "'connector' = 'blackhole'",
}
_KEYS = {"no key": "", "a": ", PRIMARY KEY (a) NOT ENFORCED", "a, b": ", PRIMARY KEY (a, b) NOT ENFORCED"}
_KEYS_OF = {
    "jdbc": ("no key", "a", "a, b"),
    "upsert-kafka": ("a", "a, b"),
    "kafka, debezium-json": ("a",),
    "filesystem, json": ("no key", "a"),
    "filesystem, debezium-json": ("no key", "a"),
    "print": ("no key", "a"),
    "blackhole": ("no key", "a"),
}
SINKS = {
    f"{connector}; {key}": f"CREATE TABLE k (a INT, b BIGINT{_KEYS[key]}) WITH ({options})"
    for connector, options in _CONNECTORS.items()
    for key in _KEYS_OF[connector]
}
CONFLICTS = ("", "NOTHING", "ERROR", "DEDUPLICATE")
_REQUIRED, _MATERIALIZE = "table.exec.sink.require-on-conflict", "table.exec.sink.upsert-materialize"
OPTIONS: Mapping[str, Mapping[str, str]] = {
    "": {},
    "not required": {_REQUIRED: "false"},
    "FORCE": {_MATERIALIZE: "FORCE"},
    "NONE": {_MATERIALIZE: "NONE"},
}
#: Reasons for refusals, with words of Flink's message and of ours.
REASONS = {
    "no primary key": ("declare primary key for sink", "needs a primary key"),
    "upsert key": ("has an upsert key that differs", "is not the query's upsert key"),
    "inserts alone": ("only accepts INSERT", "it takes inserts alone"),
    "rows before updates": ("requires UPDATE_BEFORE", "it takes the rows before updates"),
    "watermarks": ("to define watermarks", "needs watermarks on all sources"),
    "changes": ("doesn't support consuming", "doesn't support consuming"),
}


@dataclass(frozen=True)
class Program:
    """An INSERT into a sink: settings and declarations, and the statement."""

    query: str
    conflict: str
    option: str
    setup: tuple[str, ...]
    insert: str

    @property
    def options(self) -> Mapping[str, str]:
        return OPTIONS[self.option]

    @property
    def name(self) -> str:
        """The query with its conflict clause and option."""
        return " | ".join((self.query, self.conflict, self.option))


def programs(sink: str) -> Iterator[Program]:
    """All programs that write to a sink."""
    for query, conflict, option in product(QUERIES, CONFLICTS, OPTIONS):
        text = QUERIES[query]
        sources = (create for name, create in SOURCES.items() if re.search(rf"\b(FROM|JOIN) {name}\b", text))
        clause = f" ON CONFLICT DO {conflict}" if conflict else ""
        yield Program(query, conflict, option, (*sources, SINKS[sink]), f"INSERT INTO k {text}{clause}")


def refused(message: str) -> str:
    """The reason of a refusal."""
    reasons = (reason for reason, words in REASONS.items() if any(word in message for word in words))
    return f"refused: {next(reasons, message)}"


def planned(plan: Mapping[str, Any], conflict: str) -> str:
    """The materializer, the upsert key and the changelog mode of a plan's sink."""
    (sink,) = (node for node in plan["nodes"] if node["type"].startswith("stream-exec-sink"))
    assert sink.get("conflictStrategy", {}).get("behavior", "") == conflict
    entries = [entry["name"] for entry in sink.get("state", [])]
    assert entries == (["sinkMaterializeState"] if sink.get("requireUpsertMaterialize") else [])
    kinds = {"INSERT": "+I", "UPDATE_BEFORE": "-U", "UPDATE_AFTER": "+U", "DELETE": "-D"}
    mode = " ".join(kinds[kind] for kind in sink["inputChangelogMode"])
    return f"{'materialized' if entries else 'written'} {sink.get('inputUpsertKey', [])} {mode}"


def collapsed(answers: Mapping[str, Any]) -> Any:
    """Answers by name, or a single answer if all are equal."""
    values = list(answers.values())
    return values[0] if all(value == values[0] for value in values) else dict(answers)


def table(answers: Mapping[str, str]) -> dict[str, Any]:
    """Answers by query, conflict clause and option, from answers by program name."""
    return {
        query: collapsed(
            {
                conflict: collapsed({option: answers[f"{query} | {conflict} | {option}"] for option in OPTIONS})
                for conflict in CONFLICTS
            }
        )
        for query in QUERIES
    }
