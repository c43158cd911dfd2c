"""Tables that each need one option of their format: for Flink, whose results are recorded, and for a run here."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Read:
    """A table to read: its columns, the bytes of its file, the options of its format."""

    format: str
    columns: str
    data: bytes
    options: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Write:
    """A table to write: its columns, the inserted rows, the options of its format."""

    format: str
    columns: str
    query: str
    options: Mapping[str, str] = field(default_factory=dict)


def _lines(*texts: str) -> bytes:
    return "".join(f"{text}\n" for text in texts).encode()


def _event(row: str) -> str:
    return f'{{"before": null, "after": {row}, "op": "c"}}'


def _canal(row: str, database: str, table: str) -> str:
    where = f'"database": "{database}", "table": "{table}"'
    return f'{{"data": [{row}], "old": null, "type": "INSERT", {where}, "es": 1, "ts": 2}}'


_ISO = {"timestamp-format.standard": "ISO-8601"}
_IGNORE = {"ignore-parse-errors": "true"}
_AS_PLAIN = {"encode.decimal-as-plain-number": "true"}
_DECIMALS = "d DECIMAL(20, 9), e DECIMAL(10, 0)"
_ENVELOPE = '{"schema": {}, "payload": ' + _event('{"a": 1, "b": "x"}') + "}"
_OF_TABLES = [
    _canal(f'{{"a": "{at}", "b": "{database}{table}"}}', database, table)
    for at, (database, table) in enumerate((("d", "t"), ("dd", "t"), ("d", "u")))
]
_BAD = ('{"a": "z", "b": "y"}', "no", '{"a": 3}')
_PLAIN = "a INT, b STRING"
_ROWS = "(VALUES (1, 'x'), (2, CAST(NULL AS STRING))) AS t(a, b)"
_DECIMAL = "SELECT CAST(0.000000027 AS DECIMAL(20, 9)), CAST(100000 AS DECIMAL(10, 0))"
_TIME = "SELECT TIMESTAMP '2020-01-01 00:00:01.5', CAST(NULL AS INT)"

READS = {
    "json-missing": Read("json", _PLAIN, _lines('{"a": 1}', '{"b": "x", "c": 1}')),
    "json-ignore": Read("json", _PLAIN, _lines('{"a": 1, "b": "x"}', *_BAD), _IGNORE),
    "json-iso": Read("json", "a TIMESTAMP(3), b STRING", _lines('{"a": "2020-01-01T00:00:01.5"}'), _ISO),
    "json-sql": Read("json", "a TIMESTAMP(3), b STRING", _lines('{"a": "2020-01-01 00:00:01.5"}')),
    "json-parser": Read("json", _PLAIN, _lines('{"a": "7", "b": {"x": [1, 2]}}', '{"a": 1.0, "b": 2.50}')),
    "json-tree": Read(
        "json", _PLAIN, _lines('{"a": "7", "b": {"x": [1, 2]}}', '{"b": 2.50}'), {"decode.json-parser.enabled": "false"}
    ),
    "csv-delimiter": Read("csv", _PLAIN, _lines("1;x,y"), {"field-delimiter": ";"}),
    "csv-tab": Read("csv", _PLAIN, _lines("1\tx,y"), {"field-delimiter": "\\t"}),
    "csv-no-quote": Read("csv", _PLAIN, _lines('1,"x"'), {"disable-quote-character": "true"}),
    "csv-quote": Read("csv", _PLAIN, _lines("1,'x,y'", '2,"z"'), {"quote-character": "''"}),
    "csv-comments": Read("csv", _PLAIN, _lines("# 5", "1,x"), {"allow-comments": "true"}),
    "csv-ignore": Read("csv", _PLAIN, _lines("1,x", "z,y", "4", "5,x,y"), _IGNORE),
    "csv-elements": Read("csv", "a ARRAY<INT>, b STRING", _lines("1:2,x"), {"array-element-delimiter": ":"}),
    "csv-escape": Read("csv", _PLAIN, _lines("1,x\\,y"), {"escape-character": "\\"}),
    "csv-null": Read("csv", _PLAIN, _lines("1,n/a", "n/a,x"), {"null-literal": "n/a"}),
    "csv-trim": Read("csv", _PLAIN, _lines(" 1 , x "), {"trim-spaces": "true"}),
    "csv-more": Read("csv", _PLAIN, _lines("1,x,y"), {"ignore-trailing-unmappable": "true"}),
    "csv-comma": Read("csv", _PLAIN, _lines("1,x,")),
    "csv-no-comma": Read("csv", _PLAIN, _lines("1,x,", "2,y"), {"allow-trailing-comma": "false", **_IGNORE}),
    "csv-empty": Read("csv", _PLAIN, _lines("1,", ",x"), {"empty-string-as-null": "true"}),
    "raw-charset": Read("raw", "b STRING", "é".encode("iso-8859-1"), {"charset": "ISO-8859-1"}),
    "raw-little": Read("raw", "a INT", b"\1\0\0\0", {"endianness": "little-endian"}),
    "raw-big": Read("raw", "a INT", b"\0\0\0\1"),
    "debezium-schema": Read("debezium-json", _PLAIN, _lines(_ENVELOPE), {"schema-include": "true"}),
    "debezium-ignore": Read(
        "debezium-json", _PLAIN, _lines(*(_event(event) for event in _BAD), '{"op": "z"}'), _IGNORE
    ),
    "debezium-iso": Read(
        "debezium-json", "a TIMESTAMP(3), b STRING", _lines(_event('{"a": "2020-01-01T00:00:01.5"}')), _ISO
    ),
    "canal-include": Read(
        "canal-json",
        _PLAIN,
        _lines(*_OF_TABLES),
        {"database.include": "d", "table.include": "^t"},
    ),
    "canal-ignore": Read("canal-json", _PLAIN, _lines(_canal('{"a": "z", "b": "y"}', "d", "t"), "no"), _IGNORE),
    "maxwell-ignore": Read(
        "maxwell-json", _PLAIN, _lines('{"data": {"a": "z", "b": "y"}, "type": "insert"}', "no"), _IGNORE
    ),
}

WRITES = {
    "json-plain": Write("json", _DECIMALS, _DECIMAL, _AS_PLAIN),
    "json-scientific": Write("json", _DECIMALS, _DECIMAL),
    "json-no-nulls": Write("json", _PLAIN, f"SELECT * FROM {_ROWS}", {"encode.ignore-null-fields": "true"}),
    "json-iso": Write("json", "t TIMESTAMP(3), n INT", _TIME, _ISO),
    "csv-delimiter": Write("csv", _PLAIN, "SELECT 1, 'x;y'", {"field-delimiter": ";"}),
    "csv-quote": Write("csv", _PLAIN, "SELECT 1, 'x,y'", {"quote-character": "''"}),
    "csv-no-quote": Write("csv", _PLAIN, "SELECT 1, 'x y'", {"disable-quote-character": "true"}),
    "csv-escape": Write("csv", _PLAIN, "SELECT 1, 'x\"y'", {"escape-character": "\\"}),
    "csv-null": Write("csv", _PLAIN, f"SELECT * FROM {_ROWS}", {"null-literal": "n/a"}),
    "csv-elements": Write("csv", "a ARRAY<INT>", "SELECT ARRAY[1, 2]", {"array-element-delimiter": ":"}),
    "csv-scientific": Write("csv", _DECIMALS, _DECIMAL),
    "csv-plain": Write("csv", _DECIMALS, _DECIMAL, {"write-bigdecimal-in-scientific-notation": "false"}),
    "raw-charset": Write("raw", "b STRING", "SELECT 'é'", {"charset": "ISO-8859-1"}),
    "raw-little": Write("raw", "a INT", "SELECT 1", {"endianness": "little-endian"}),
    "debezium-no-nulls": Write(
        "debezium-json", _PLAIN, f"SELECT * FROM {_ROWS}", {"encode.ignore-null-fields": "true"}
    ),
    "debezium-plain": Write("debezium-json", _DECIMALS, _DECIMAL, _AS_PLAIN),
    "canal-no-nulls": Write("canal-json", _PLAIN, f"SELECT * FROM {_ROWS}", {"encode.ignore-null-fields": "true"}),
    "maxwell-iso": Write("maxwell-json", "t TIMESTAMP(3), n INT", _TIME, _ISO),
    "maxwell-plain": Write("maxwell-json", _DECIMALS, _DECIMAL, _AS_PLAIN),
}


def _table(name: str, case: Read | Write, place: Path) -> str:
    options = "".join(f", '{case.format}.{key}' = '{value}'" for key, value in case.options.items())
    settings = f"'connector' = 'filesystem', 'path' = '{place}', 'format' = '{case.format}'{options}"
    return f"CREATE TABLE `{name}` ({case.columns}) WITH ({settings});"


def _chosen(name: str, case: Read) -> str:
    has = {column.split()[0] for column in case.columns.split(", ")}
    chosen = [f"CAST({column} AS STRING)" if column in has else "CAST(NULL AS STRING)" for column in ("a", "b")]
    return f"SELECT '{name}', {', '.join(chosen)} FROM `r-{name}`"


def program(folder: Path) -> str:
    """A program over all cases; writes the files that it reads."""
    (folder / "in").mkdir(parents=True)
    for name, case in READS.items():
        (folder / "in" / name).write_bytes(case.data)
    parts = [_table(f"r-{name}", case, folder / "in" / name) for name, case in READS.items()]
    parts += [_table(f"w-{name}", case, folder / "out" / name) for name, case in WRITES.items()]
    read = Read("debezium-json", "name STRING, a STRING, b STRING", b"")
    parts.append(_table("o", read, folder / "read"))
    inserts = [f"INSERT INTO o {' UNION ALL '.join(_chosen(name, case) for name, case in READS.items())};"]
    inserts += [f"INSERT INTO `w-{name}` {case.query};" for name, case in WRITES.items()]
    return "\n".join([*parts, "EXECUTE STATEMENT SET BEGIN", *inserts, "END;"])


def results(folder: Path) -> dict[str, list[str]]:
    """Results of a run by case: `r-` the rows read, `w-` the lines written."""
    result: dict[str, list[str]] = {}
    for line in _written(folder / "read"):
        event = json.loads(line)
        row = event["after"] or event["before"]
        result.setdefault(f"r-{row['name']}", []).append(f"{event['op']} {row['a']} {row['b']}")
    result |= {f"w-{name}": _written(folder / "out" / name) for name in WRITES}
    return {name: sorted(lines) for name, lines in sorted(result.items())}


def _written(folder: Path) -> list[str]:
    files = [path for path in folder.rglob("*") if path.is_file() and not path.name.startswith((".", "_"))]
    return [line for path in files for line in path.read_bytes().decode("iso-8859-1").splitlines()]
