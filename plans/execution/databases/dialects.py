"""Dialects of databases: names, upsert statements, and value classes of drivers.

Source: the dialects of Flink's connector, and SQLite. A URL of an unknown dialect is treated as standard SQL: update
a row, and insert it if none was updated.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from compiled_plan.plans.connectors.table_names import Part, is_plain, name_parts


@dataclass(frozen=True, slots=True)
class Target:
    """A table in statements; names are quoted as needed.

    Args:
        table: its name.
        columns: names of the declared columns, in order.
        keys: positions of the primary key's columns; empty without a key.
        types: per column, the code of java.sql.Types and the database's own name of the type.
    """

    table: str
    columns: tuple[str, ...]
    keys: tuple[int, ...] = ()
    types: tuple[tuple[int, str], ...] = ()

    @property
    def others(self) -> tuple[str, ...]:
        """The columns outside the key."""
        return tuple(name for at, name in enumerate(self.columns) if at not in self.keys)

    @property
    def key_columns(self) -> tuple[str, ...]:
        """The columns of the key."""
        return tuple(self.columns[at] for at in self.keys)


def insert(target: Target) -> str:
    """The statement that inserts a row."""
    marks = ", ".join("?" for _ in target.columns)
    return f"INSERT INTO {target.table} ({', '.join(target.columns)}) VALUES ({marks})"


def delete(target: Target) -> str:
    """The statement that deletes the row of a key."""
    return f"DELETE FROM {target.table} WHERE {_equal(target.key_columns, ' AND ')}"


def update(target: Target) -> str:
    """The statement that updates the row of a key; its parameters are the other columns, then the key."""
    first = target.key_columns[0]
    changed = _equal(target.others, ", ") or f"{first} = {first}"
    return f"UPDATE {target.table} SET {changed} WHERE {_equal(target.key_columns, ' AND ')}"


def _equal(columns: Sequence[str], between: str) -> str:
    return between.join(f"{column} = ?" for column in columns)


def _on_conflict(target: Target) -> str:
    changed = ", ".join(f"{name} = EXCLUDED.{name}" for name in target.others)
    then = f"UPDATE SET {changed}" if changed else "NOTHING"
    return f"{insert(target)} ON CONFLICT ({', '.join(target.key_columns)}) DO {then}"


def _on_duplicate_key(target: Target) -> str:
    first = target.key_columns[0]
    changed = ", ".join(f"{name} = VALUES({name})" for name in target.others) or f"{first} = {first}"
    return f"{insert(target)} ON DUPLICATE KEY UPDATE {changed}"


@dataclass(frozen=True, slots=True)
class Dialect:
    """A family of databases.

    Args:
        name: name of the family.
        quote: the quote character of names.
        upsert: builds the statement that inserts a row or replaces that of its key; None if there is none.
        values: value classes of the driver; names one of the kernel's JdbcValues.
        arrays: True if a column can be an array.
        quotes_table: True if a table's name is quoted as an identifier, not inserted as SQL text.
        properties: connection properties beside user and password.
    """

    name: str
    quote: str = '"'
    upsert: Callable[[Target], str] | None = None
    values: str = "SQL"
    arrays: bool = False
    quotes_table: bool = False
    properties: Mapping[str, str] = field(default_factory=dict)

    def quoted(self, name: str) -> str:
        return f"{self.quote}{name.replace(self.quote, self.quote * 2)}{self.quote}"

    def written(self, name: str) -> str:
        """A name as Flink writes it; it never is more than a name."""
        return name if is_plain(name) and not self.quotes_table else self.quoted(name)

    def tables(self, name: str) -> tuple[str, ...]:
        """Candidates for a table's name in a statement, Flink's first."""
        parts = name_parts(name) or (Part(name, is_plain=False),)
        whole = self.quoted(".".join(part.text for part in parts))
        in_parts = ".".join(self.quoted(part.text) for part in parts)
        as_written = ".".join(part.text if part.is_plain else self.quoted(part.text) for part in parts)
        names = (whole, in_parts) if self.quotes_table else (as_written, in_parts, whole)
        return tuple(dict.fromkeys(names))

    @staticmethod
    def column(name: str, known: Sequence[str]) -> str | None:
        """The database's name of a declared column; None if it has no such column.

        An exact match comes before a match that ignores case.
        """
        if name in known:
            return name
        matches = [column for column in known if column.lower() == name.lower()]
        return matches[0] if len(matches) == 1 else None


POSTGRES = Dialect(
    "PostgreSQL",
    upsert=_on_conflict,
    values="TIME",
    arrays=True,
    properties={"reWriteBatchedInserts": "true"},
)
MYSQL = Dialect(
    "MySQL",
    "`",
    _on_duplicate_key,
    "TIME",
    quotes_table=True,
    properties={"rewriteBatchedStatements": "true"},
)
MARIADB = Dialect("MariaDB", "`", _on_duplicate_key, "TIME", quotes_table=True)
SQLITE = Dialect("SQLite", upsert=_on_conflict, values="TEXT")
STANDARD = Dialect("standard SQL")

_BY_URL = {"postgresql": POSTGRES, "mysql": MYSQL, "mariadb": MARIADB, "sqlite": SQLITE}


def dialect_of(url: str) -> Dialect:
    """The dialect of a JDBC URL."""
    return _BY_URL.get(url.split(":")[1] if ":" in url else "", STANDARD)
