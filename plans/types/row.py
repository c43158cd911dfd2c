"""Rows in Python programs.

Source: Flink's class `Row` and its `RowKind`, the kind of change of a row in a changelog.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import Enum
from typing import Any


class RowKind(Enum):
    """Kind of change of a row. The value is its byte in Flink and in the executor.

    >>> import compiled_plan as cp
    >>> print(*(kind.short for kind in cp.RowKind))
    +I -U +U -D
    """

    INSERT = 0
    UPDATE_BEFORE = 1
    UPDATE_AFTER = 2
    DELETE = 3

    @property
    def short(self) -> str:
        """`+I`, `-U`, `+U` or `-D`."""
        return _SHORT[self.value]

    def __str__(self) -> str:
        return _SHORT[self.value]


_SHORT = ("+I", "-U", "+U", "-D")


class Row(tuple[Any, ...]):
    """A row: a tuple with a kind of change and optional field names.

    `Row("Bob", 42)` has no names, `Row(name="Bob", age=42)` has. A field is `row[1]`, `row["age"]` or `row.age`.
    A row equals a tuple of equal values; two rows are equal if their kinds are equal, too.

    >>> import compiled_plan as cp
    >>> row = cp.Row(name="Bob", age=42)
    >>> row.age, row["name"], row[0]
    (42, 'Bob', 'Bob')
    >>> print(row.with_kind(cp.RowKind.DELETE))
    -D[Bob, 42]

    Args:
        values: the fields by position; or
        named: the fields by name. Not both.
    """

    _names: tuple[str, ...]
    _kind: RowKind

    def __new__(cls, *values: object, **named: object) -> Row:
        if values and named:
            raise TypeError("a Row has fields by position or by name, not both")
        return cls.of(values or named.values(), tuple(named))

    @classmethod
    def of(cls, values: Iterable[Any], names: Sequence[str] = (), kind: RowKind = RowKind.INSERT) -> Row:
        """A row of values, with the same number of names or none.

        Raises:
            TypeError: the numbers of names and values differ.
        """
        row = super().__new__(cls, values)
        if names and len(names) != len(row):
            raise TypeError(f"a Row of {len(row)} values cannot have {len(names)} names")
        row._names, row._kind = tuple(names), kind
        return row

    @property
    def kind(self) -> RowKind:
        """The row's kind of change."""
        return self._kind

    def get_row_kind(self) -> RowKind:
        """The row's kind of change, by the name of Flink's method."""
        return self._kind

    @property
    def field_names(self) -> tuple[str, ...]:
        """The names of the fields in order; empty if they have none."""
        return self._names

    def as_dict(self) -> dict[str, Any]:
        """The fields by name, with nested rows as dicts, too.

        Raises:
            TypeError: the fields have no names.
        """
        if self and not self._names:
            raise TypeError("the fields of this Row have no names")
        return {name: _plain(value) for name, value in zip(self._names, self, strict=True)}

    def with_kind(self, kind: RowKind) -> Row:
        """The same row with another kind."""
        return Row.of(self, self._names, kind)

    def __getitem__(self, key: Any) -> Any:
        return super().__getitem__(self._at(key)) if isinstance(key, str) else super().__getitem__(key)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            return super().__getitem__(self._at(name))
        except KeyError as fault:
            raise AttributeError(fault.args[0]) from None

    def _at(self, name: str) -> int:
        if name not in self._names:
            raise KeyError(f"the row has no field {name!r}; it has {', '.join(self._names) or 'no names'}")
        return self._names.index(name)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Row) and other._kind is not self._kind:
            return False
        return tuple.__eq__(self, other) if isinstance(other, tuple) else NotImplemented

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = tuple.__hash__

    def __reduce__(self) -> tuple[object, ...]:
        return Row.of, (tuple(self), self._names, self._kind)

    def __repr__(self) -> str:
        if not self._names:
            inside = ", ".join(map(repr, self))
        else:
            inside = ", ".join(f"{name}={value!r}" for name, value in zip(self._names, self, strict=True))
        sign = "" if self._kind is RowKind.INSERT else f"{self._kind.short} "
        return f"{sign}Row({inside})"

    def __str__(self) -> str:
        """Flink's text of a row: `+I[Bob, 42]`."""
        return f"{self._kind.short}[{', '.join(map(_text, self))}]"


def _plain(value: object) -> object:
    match value:
        case Row() if value.field_names:
            return value.as_dict()
        case list():
            return [_plain(item) for item in value]
        case dict():
            return {key: _plain(item) for key, item in value.items()}
    return value


def _text(value: Any) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return str(value).lower()
    return str(value)
