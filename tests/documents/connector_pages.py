"""The tables of `connector_pages.toml` as programs: for Flink, which was asked once, and for the tests."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class Example:
    """A table of a page.

    Args:
        page: the page, and the example on it.
        columns: as in DDL, with watermarks and keys.
        options: of the WITH clause.
        partitions: the partition columns.
        reads: whether it can be read.
        writes: whether it can be written.
        like: whether its columns are those of another table (LIKE).
        refused: part of the refusal; empty if it runs.
    """

    page: str
    columns: tuple[str, ...]
    options: Mapping[str, str]
    partitions: tuple[str, ...] = ()
    reads: bool = True
    writes: bool = True
    like: bool = False
    refused: str = ""

    def ddl(self, name: str, options: Mapping[str, str] | None = None) -> str:
        """The CREATE TABLE statement, optionally with other options."""
        chosen = self.options if options is None else options
        option_list = ", ".join(f"'{key}' = '{value}'" for key, value in chosen.items())
        columns = f" ({', '.join(self.columns)})"
        if self.like:
            origin = f"CREATE TABLE {name}_origin{columns} WITH ('connector' = 'blackhole');\n"
            return f"{origin}CREATE TABLE {name} WITH ({option_list}) LIKE {name}_origin (EXCLUDING ALL);\n"
        parts = f" PARTITIONED BY ({', '.join(self.partitions)})" if self.partitions else ""
        return f"CREATE TABLE {name}{columns}{parts} WITH ({option_list});\n"

    @property
    def read(self) -> dict[str, str]:
        """Types of the columns to read, without computed ones."""
        result = {}
        for column in self.columns:
            match = re.match(r"(?!PRIMARY|WATERMARK)(\S+) (?!AS )(.*?)( METADATA.*)?$", column)
            if match:
                result[match[1]] = match[2]
        return result

    @property
    def written(self) -> dict[str, str]:
        """Types of the columns to write."""
        virtual = [column.partition(" ")[0] for column in self.columns if column.endswith(" VIRTUAL")]
        return {name: type_ for name, type_ in self.read.items() if name not in virtual}

    def program(self, name: str = "t", options: Mapping[str, str] | None = None) -> tuple[str, str]:
        """A program that writes the table and reads it, as far as possible: its tables, and its statement set."""
        text, inserts = self.ddl(name, options), []
        if self.writes:
            text += f"CREATE TABLE given ({_columns(self.written)}) WITH ('connector' = 'datagen');\n"
            inserts.append(f"INSERT INTO {name} SELECT {', '.join(self.written)} FROM given;")
        if self.reads:
            text += f"CREATE TABLE seen ({_columns(self.read)}) WITH ('connector' = 'blackhole');\n"
            inserts.append(f"INSERT INTO seen SELECT {', '.join(self.read)} FROM {name};")
        return text, f"STATEMENT SET BEGIN {' '.join(inserts)} END"


def _columns(types: Mapping[str, str]) -> str:
    return ", ".join(f"{name} {type_}" for name, type_ in types.items())


@cache
def examples() -> tuple[Example, ...]:
    """All examples, in the order of the file."""
    text = Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")
    return tuple(Example(**_frozen(table)) for table in tomllib.loads(text)["example"])


def _frozen(table: dict[str, Any]) -> dict[str, Any]:
    return {key: tuple(value) if isinstance(value, list) else value for key, value in table.items()}
