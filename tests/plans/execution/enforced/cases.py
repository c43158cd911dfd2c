"""Rows for a sink with lengths and NOT NULL on every level, and the options for their enforcement."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path
from typing import Any

SINK = (
    "c CHAR(2), v VARCHAR(2), b BINARY(2), w VARBINARY(2), "
    "r ROW<c CHAR(2), v VARCHAR(2), b BINARY(2), w VARBINARY(2), i INT NOT NULL, q ROW<c CHAR(2), s STRING>>, "
    "a ARRAY<VARCHAR(2)>, n ARRAY<INT NOT NULL>, m MAP<STRING, CHAR(2)>, l ARRAY<ROW<v VARCHAR(2), i INT NOT NULL>>, "
    "s ROW<l ARRAY<VARCHAR(2)>, v VARCHAR(2)>, o MAP<STRING, ROW<c CHAR(2)>>, x ROW<i INT NOT NULL, v VARCHAR(2)>"
)
#: The same columns, but nullable; nothing enforces the lengths for rows of a file.
SOURCE = SINK.replace(" NOT NULL", "")

ROWS: dict[str, dict[str, Any]] = {
    "fits": {"c": "ab", "v": "ab", "r": {"c": "ab", "v": "a", "i": 1}, "a": ["ab"], "m": {"long": "ab"}},
    "nothing": {},
    "short CHAR": {"c": "a"},
    "long VARCHAR": {"v": "abc"},
    "emoji": {"v": "😀😀😀", "r": {"v": "😀😀😀", "i": 1}},
    "short BINARY": {"b": "YQ=="},
    "long VARBINARY": {"w": "YWJj"},
    "in a row": {"r": {"c": "a", "v": "abcde", "b": "YQ==", "w": "YWJj", "i": 1}},
    "in a row in a row": {"r": {"i": 1, "q": {"c": "abc", "s": "abcd"}}},
    "in an array": {"a": ["ab", None, "abc"]},
    "a value of a map": {"m": {"long": "a"}},
    "in a row in an array": {"l": [{"v": "ab", "i": 1}, {"v": "abc", "i": 1}]},
    "in an array in a row": {"s": {"l": ["abc"], "v": "a"}},
    "beside an array in a row": {"s": {"l": ["abc"], "v": "abc"}},
    "in a row in a map": {"o": {"k": {"c": "a"}}},
    "null in a row": {"r": {"c": "ab"}},
    "null in an array": {"n": [1, None]},
    "null in a row in an array": {"l": [{"v": "a"}]},
    "null, then long, in an array": {"l": [{"v": "a"}, {"v": "abc", "i": 1}]},
    "long, then null, in an array": {"l": [{"v": "abc", "i": 1}, {"v": "a"}]},
    "null and long in one row": {"x": {"v": "abc"}},
    "null in a row, long beside it": {"x": {"v": "a"}, "v": "abc"},
    "long in a row, null in a later one": {"r": {"c": "abc", "i": 1}, "x": {"v": "a"}},
    "null in a row, long in a later one": {"r": {"c": "ab"}, "x": {"v": "abc", "i": 1}},
}

LENGTHS = "table.exec.sink.type-length-enforcer"
NULLS = "table.exec.sink.not-null-enforcer"
NESTED = "table.exec.sink.nested-constraint-enforcer"
CHOICES = list(product(("IGNORE", "TRIM_PAD", "ERROR"), ("ERROR", "DROP"), ("IGNORE", "ROWS", "ROWS_AND_COLLECTIONS")))
ANSWERS = Path(__file__).with_name("flink.json")


def options(choice: tuple[str, str, str]) -> dict[str, str]:
    """Option values as session options."""
    return dict(zip((LENGTHS, NULLS, NESTED), choice, strict=True))


def tables(rows: Path, out: Path) -> tuple[str, str]:
    """The statements that create the source and the sink."""
    return (
        f"CREATE TABLE t ({SOURCE}) WITH ('connector' = 'filesystem', 'path' = '{rows}', 'format' = 'json')",
        f"CREATE TABLE o ({SINK}) WITH ('connector' = 'filesystem', 'path' = '{out}', 'format' = 'json')",
    )


def written(out: Path) -> list[dict[str, Any]]:
    """Write the rows into a folder of JSON."""
    files = [path for path in sorted(out.rglob("*")) if path.is_file() and not path.name.startswith((".", "_"))]
    return [json.loads(line) for path in files for line in path.read_text(encoding="utf-8").splitlines()]
