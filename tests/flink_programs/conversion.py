"""Flink's test programs converted to programs over files."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from types import MappingProxyType
from typing import Any

#: Placeholders for folders in the text of a program.
DATA, OUT = "${data}", "${out}"

_NOT_COMPARABLE = {
    "ModelTestStep": "calls a model of Flink's tests",
    "TemporalFunctionTestStep": "registers a temporal table function, which SQL cannot",
    "FailingTableApiTestStep": "fails in Java's Table API",
}
_NAME = re.compile(r"\s*(?:`(?P<quoted>[^`]+)`|(?P<plain>\w+))")
_METADATA = re.compile(
    r"(?is)^\s*(?P<name>`[^`]+`|\w+)\s+(?P<type>.*?)\s+METADATA(\s+FROM\s+'[^']*')?(?P<virtual>\s+VIRTUAL)?\s*$"
)
_CLAUSE = re.compile(r"(?i)\s*(primary|watermark|constraint)\b")
_ODD_MAP = re.compile(r"MAP<(?P<key>(?!VARCHAR|CHAR).+?), (?P<value>.+)>(?: NOT NULL)?")

#: Types that no plan of Flink holds.
LEFT_OPEN = ("table.exec.sink.nested-constraint-enforcer",)

Json = Mapping[str, Any]


@dataclass(frozen=True)
class Database:
    """A table of SQLite: its columns with their types in Flink, its key, its rows."""

    table: str
    columns: Mapping[str, str]
    key: Sequence[str]
    rows: Sequence[Json] = ()

    def statements(self) -> Iterator[tuple[str, tuple[Any, ...]]]:
        """Statements with their parameters that create the table."""
        columns = [f'"{name}" {_sqlite_type(text)}' for name, text in self.columns.items()]
        if self.key:
            columns.append(f"PRIMARY KEY ({', '.join(map(_quoted, self.key))})")
        yield f"CREATE TABLE {_quoted(self.table)} ({', '.join(columns)})", ()
        marks = ", ".join("?" * len(self.columns))
        for row in self.rows:
            values = tuple(row.get(name) for name in self.columns)
            yield f"INSERT OR REPLACE INTO {_quoted(self.table)} VALUES ({marks})", values


@dataclass(frozen=True)
class Function:
    """A Java function of a program; `kind` is that of Flink's `FunctionKind`."""

    name: str
    class_: str
    kind: str
    deterministic: bool
    temporary: bool
    system: bool

    def statement(self, signatures: Sequence[str]) -> str:
        """CREATE FUNCTION with the types of its calls."""
        options = {
            "signature": "; ".join(dict.fromkeys(signatures)),
            "kind": self.kind.removeprefix("ASYNC_"),
            "deterministic": str(self.deterministic).lower(),
        }
        listed = ", ".join(f"'{key}' = '{escaped(value)}'" for key, value in options.items())
        what = f"{'TEMPORARY ' if self.temporary else ''}{'SYSTEM ' if self.system else ''}FUNCTION"
        return f"CREATE {what} `{self.name}` AS '{self.class_}' LANGUAGE JAVA WITH ({listed})"


@dataclass(frozen=True)
class Sink:
    """A sink: the columns of its files as DDL, and the table that Flink's test expects.

    Args:
        before: the changes from before the restore, for a program that starts with it.
    """

    name: str
    schema: Sequence[str]
    columns: Sequence[str]
    key: Sequence[str]
    expected: Sequence[str]
    before: Sequence[str] = ()


@dataclass(frozen=True)
class Case:
    """A program over files.

    Args:
        id: of Flink's program.
        settings: options of the session.
        setup: statements before the INSERT.
        attempts: the INSERTs; several failing ones are tried one by one. Empty for a program of the Table API.
        as_set: whether the INSERTs are one statement set.
        fails: whether Flink's test expects each attempt to fail.
        options: the WITH options of each table.
        files: the content of data files, by name.
        databases: SQLite files of data, by name, and of sinks.
        obstacle: the reason why it cannot be compared; empty if it can.
        functions: its Java functions.
    """

    id: str
    settings: Sequence[tuple[str, str]]
    setup: Sequence[str]
    attempts: Sequence[str]
    as_set: bool
    fails: bool
    sinks: Sequence[Sink]
    options: Mapping[str, Mapping[str, str]]
    files: Mapping[str, str]
    databases: Mapping[str, Database]
    sink_databases: Mapping[str, Database]
    obstacle: str
    functions: Sequence[Function] = ()

    @property
    def name(self) -> str:
        """The name of its folder."""
        return re.sub(r"\W", "_", self.id)

    @property
    def left_open(self) -> tuple[str, ...]:
        """The options, as `KEY=VALUE`, that Flink takes from the session when it runs a plan."""
        return tuple(f"{key}={value}" for key, value in self.settings if key in LEFT_OPEN)

    def programs(self, insert: str = "", signatures: Mapping[str, Sequence[str]] = MappingProxyType({})) -> list[str]:
        """The texts of the program, one per attempt.

        Args:
            insert: the INSERT if the case has none.
            signatures: the types of the calls of each function.
        """
        head = [f"SET '{key}' = '{escaped(value)}'" for key, value in self.settings]
        head += [item.statement(signatures[item.name]) for item in self.functions if item.name in signatures]
        inserts = [insert] if insert else list(self.attempts)
        if self.as_set:
            inserts = ["EXECUTE STATEMENT SET BEGIN\n" + "".join(f"{text};\n" for text in inserts) + "END"]
        return ["".join(f"{part};\n\n" for part in (*head, *self.setup, text)) for text in inserts]


def escaped(text: str) -> str:
    """The content of a literal."""
    return text.replace("'", "''")


def converted(program: Json, *, restored: bool = False) -> Case:
    """Convert a program that `Dump` printed.

    Args:
        restored: its tables have the rows from after the restore alone.
    """
    return _Conversion(program, restored).case()


def debezium(rows: Iterable[Json]) -> Iterator[Json]:
    """The events of a changelog; consecutive -U and +U are one event."""
    before: Json | None = None
    for row in rows:
        if before is not None and row["kind"] != "+U":
            yield _event(before, None)
            before = None
        if row["kind"] == "-U":
            before = row["values"]
        elif row["kind"] == "-D":
            yield _event(row["values"], None)
        else:
            yield _event(before, row["values"])
            before = None
    if before is not None:
        yield _event(before, None)


def upserts(rows: Iterable[Json]) -> Iterator[Json]:
    """The events of an upsert changelog: rows without their previous version."""
    for row in rows:
        yield _event(row["values"], None) if row["kind"] == "-D" else _event(None, row["values"])


def with_forerunners(rows: Iterable[Json], key: Sequence[str]) -> Iterator[Json]:
    """The same with the previous version of each row, as ChangelogNormalize adds it."""
    last: dict[str, Json] = {}
    for row in rows:
        at = json.dumps([row["values"][name] for name in key])
        if row["kind"] != "-D":
            yield _event(last.get(at), row["values"])
            last[at] = row["values"]
        elif at in last:
            yield _event(last.pop(at), None)


def _event(before: Json | None, after: Json | None) -> Json:
    return {"before": before, "after": after, "op": "d" if after is None else "u" if before else "c"}


class _Conversion:
    def __init__(self, program: Json, restored: bool) -> None:
        self.program, self.restored = program, restored
        self.tables = [step for step in program["setup"] if "schema" in step]
        sources = [step for step in self.tables if step["kind"] == "SourceTestStep"]
        upsert = any(map(_is_upsert, sources))
        # The option requires a key of every changelog table.
        self.duplicates = upsert and all(step["primaryKey"] for step in sources if _modes(step) != {"I"})
        # A lookup table changes at the restore, and its file has one state: without a restore, the one before.
        self.looked_up = not restored and any(map(_is_looked_up, sources))
        self.statements = [text for step in program["run"] for text in step.get("statements", [step.get("sql") or ""])]
        self.sinks: list[Sink] = []
        self.setup: list[str] = []
        self.options: dict[str, Mapping[str, str]] = {}
        self.files: dict[str, str] = {}
        self.databases: dict[str, Database] = {}
        self.sink_databases: dict[str, Database] = {}
        self.texts: dict[str, dict[str, str]] = {}

    def case(self) -> Case:
        setup, run = self.program["setup"], self.program["run"]
        for step in setup:
            if step["kind"] == "SqlTestStep":
                self.setup.append(_statement(step["sql"]))
            elif step["kind"] == "SourceTestStep" and "fault" not in step:
                self._source(step)
            elif step["kind"] == "SinkTestStep":
                self._sink(step)
        obstacles = [_NOT_COMPARABLE[step["kind"]] for step in (*setup, *run) if step["kind"] in _NOT_COMPARABLE]
        obstacles += [f"cannot be written to files: {step['fault']}" for step in setup if "fault" in step]
        if any("enable-vector-search" in step["options"] for step in self.tables):
            obstacles.append("searches vectors in a source of Flink's tests")
        attempts, as_set, fails = self._attempts()
        return Case(
            self.program["id"],
            list(self._settings()),
            self.setup,
            attempts,
            as_set,
            fails,
            self.sinks,
            self.options,
            self.files,
            self.databases,
            self.sink_databases,
            next(iter(obstacles), ""),
            [_function(step) for step in setup if "functionKind" in step],
        )

    def _settings(self) -> Iterator[tuple[str, str]]:
        own = {step["key"]: step["value"] for step in self.program["setup"] if "key" in step}
        own.pop("state.backend.type", None)
        yield "table.local-time-zone", own.pop("table.local-time-zone", "UTC")
        if self.duplicates:
            yield "table.exec.source.cdc-events-duplicate", "true"
        yield from own.items()

    def _attempts(self) -> tuple[list[str], bool, bool]:
        by_kind: dict[str, list[Json]] = {}
        for step in self.program["run"]:
            by_kind.setdefault(step["kind"], []).append(step)
        if sql := by_kind.get("SqlTestStep"):
            return [self._insert(_statement(sql[0]["sql"]))], False, False
        if sets := by_kind.get("StatementSetTestStep"):
            return [_statement(text) for text in sets[0]["statements"]], True, False
        failing = [_statement(step["sql"]) for step in by_kind.get("FailingSqlTestStep", ())]
        return failing, False, bool(failing)

    def _insert(self, text: str) -> str:
        """The INSERT before a query, and around values that files can hold as text only."""
        if re.match(r"(?i)\(*SELECT\b", text):
            text = f"INSERT INTO `{self.sinks[0].name}` {text}"
        match = re.match(r"(?is)INSERT\s+INTO\s+`?(\w+)`?\s+(.*)", text)
        if not match or match[1] not in self.texts:
            return text
        name, query = match.groups()
        columns = next(sink.columns for sink in self.sinks if sink.name == name)
        selected = [self.texts[name].get(column, f"`{column}`") for column in columns]
        names = ", ".join(f"`{column}`" for column in columns)
        return f"INSERT INTO `{name}` SELECT {', '.join(selected)} FROM ({query}) AS q ({names})"

    def _source(self, step: Json) -> None:
        name, rows = step["name"], self._rows(step)
        columns = [_physical(column)[0] for column in step["schema"]]
        events: Iterable[Json]
        if _modes(step) == {"I"} and all(row["kind"] == "+I" for row in rows):
            form, events = "json", (row["values"] for row in rows)
        elif _is_upsert(step):
            form = "debezium-json"
            events = upserts(rows) if self.duplicates else self._with_forerunners(step)
        else:
            form, events = "debezium-json", debezium(rows)
        options = {"connector": "filesystem", "path": f"{DATA}/{name}.json", "format": form}
        self.files[f"{name}.json"] = "".join(json.dumps(event, ensure_ascii=False) + "\n" for event in events)
        if _is_looked_up(step):
            options = _jdbc(f"{DATA}/{name}.db", name)
            values = [row["values"] for row in rows]
            self.databases[f"{name}.db"] = Database(name, step["columns"], step["primaryKey"], values)
        views = {column: encoded for column, text in step["columns"].items() if (encoded := _encoded(column, text))}
        if views:
            self._create(f"{name}__raw", [_redeclared(column, views) for column in columns], "", options)
            named = [_name(column) for column in columns if not _CLAUSE.match(column)]
            selected = [views[column][1] if column in views else f"`{column}`" for column in named]
            self.setup.append(f"CREATE VIEW `{name}` AS SELECT {', '.join(selected)} FROM `{name}__raw`")
        else:
            self._create(name, columns, "", options)

    def _rows(self, step: Json) -> list[Json]:
        before = [] if self.restored else step["before"]
        return [*before, *([] if self.looked_up else step["after"])]

    def _with_forerunners(self, step: Json) -> Iterator[Json]:
        key = step["primaryKey"]
        read = len(list(with_forerunners(step["before"], key))) if self.restored else 0
        return islice(with_forerunners([*step["before"], *step["after"]], key), read, None)

    def _sink(self, step: Json) -> None:
        name = step["name"]
        modes = step["options"].get("sink-changelog-mode-enforced") or step["options"].get("changelog-mode")
        insert_only = modes == "I" or step["options"].get("sink-insert-only") == "true"
        columns = [text for text, virtual in map(_physical, step["schema"]) if not virtual]
        texts = {column: text for column, kind in step["columns"].items() if (text := _as_text(column, kind))}
        if texts:
            self.texts[name] = texts
            columns = [f"`{_name(text)}` STRING" if _name(text) in texts else text for text in columns]
        partition = next(iter(re.findall(r"(?i)\bPARTITION\s*\((\w+)\s*=", " ".join(self.statements))), "")
        partitioned = f"PARTITIONED BY (`{partition}`) " if partition in step["partitionKeys"] else ""
        options = {
            "connector": "filesystem",
            "path": f"{OUT}/{name}",
            "format": "json" if insert_only else "debezium-json",
        }
        conflict = any(re.search(r"(?i)\bON\s+CONFLICT\b", text) for text in self.statements)
        if conflict and step["primaryKey"] and modes not in ("I", "I,UB,UA,D"):
            options = _jdbc(f"{OUT}/{name}.db", name)
            self.sink_databases[name] = Database(name, step["columns"], step["primaryKey"])
        self._create(name, columns, partitioned, options)
        expected = step["expectedBefore" if self.looked_up else "expected"]
        before = step["expectedBefore"] if self.restored else ()
        self.sinks.append(Sink(name, columns, list(step["columns"]), step["primaryKey"], expected, before))

    def _create(self, name: str, columns: Sequence[str], partitioned: str, options: Mapping[str, str]) -> None:
        self.options[name] = options
        listed = ",\n  ".join(f"'{key}' = '{escaped(value)}'" for key, value in options.items())
        body = ",\n  ".join(columns)
        self.setup.append(f"CREATE TABLE `{name}` (\n  {body}\n) {partitioned}WITH (\n  {listed}\n)")


def _function(step: Json) -> Function:
    return Function(
        step["name"],
        step["class"],
        step["functionKind"],
        step["deterministic"],
        temporary=step["persistence"] == "TEMPORARY",
        system=step["behavior"] == "SYSTEM",
    )


def _modes(step: Json) -> set[str]:
    return {mode.strip() for mode in step["options"].get("changelog-mode", "I").split(",")}


def _is_upsert(step: Json) -> bool:
    return "UA" in _modes(step) and "UB" not in _modes(step)


def _is_looked_up(step: Json) -> bool:
    return bool(step["options"].get("disable-lookup") == "false")


def _statement(text: str) -> str:
    return text.strip().rstrip(";")


def _name(column: str) -> str:
    match = _NAME.match(column)
    assert match is not None, column
    return match["quoted"] or match["plain"]


def _physical(column: str) -> tuple[str, bool]:
    """A metadata column as a physical one, since files have no metadata; whether it was virtual."""
    match = _METADATA.match(column)
    return (f"{match['name']} {match['type']}", bool(match["virtual"])) if match else (column, False)


def _encoded(column: str, text: str) -> tuple[str, str] | None:
    """The type in which files hold a column, and the expression of its value; None if they hold it unchanged."""
    if text.startswith("VARIANT"):
        return "STRING", f"PARSE_JSON(`{column}`) AS `{column}`"
    if text.startswith("BITMAP"):
        return "BYTES", f"BITMAP_FROM_BYTES(`{column}`) AS `{column}`"
    if odd := _ODD_MAP.fullmatch(text):
        entries = f"ROW<k ARRAY<{odd['key']}>, v ARRAY<{odd['value']}>>"
        return entries, f"MAP_FROM_ARRAYS(`{column}`.k, `{column}`.v) AS `{column}`"
    return None


def _as_text(column: str, text: str) -> str:
    """The text expression of a column whose type no sink file can hold; empty for others."""
    if text.startswith("VARIANT"):
        return f"JSON_STRING(`{column}`)"
    if text.startswith("BITMAP"):
        return f"BITMAP_TO_STRING(`{column}`)"
    return f"CAST(`{column}` AS STRING)" if _ODD_MAP.fullmatch(text) else ""


def _redeclared(column: str, views: Mapping[str, tuple[str, str]]) -> str:
    name = "" if _CLAUSE.match(column) else _name(column)
    return f"`{name}` {views[name][0]}" if name in views else column


def _jdbc(file: str, table: str) -> dict[str, str]:
    return {"connector": "jdbc", "url": f"jdbc:sqlite:{file}", "table-name": table}


def _sqlite_type(text: str) -> str:
    kinds = {"INT": "INTEGER", "BIGINT": "INTEGER", "DOUBLE": "REAL", "FLOAT": "REAL"}
    return kinds.get(re.split(r"[ (]", text)[0], "TEXT")


def _quoted(name: str) -> str:
    return f'"{name}"'
