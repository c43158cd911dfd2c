"""Rows of PyFlink programs: mutable, and printed as PyFlink prints them.

Source: PyFlink's class `Row`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from compiled_plan.plans.types.row import Row, RowKind

_SLOTS = ("_fields", "_values", "_row_kind")


class MutableRow:
    """A row with mutable fields, field names and kind: `compiled_plan.pyflink.Row`.

    `Row("Bob", 42)` has no names, `Row(name="Bob", age=42)` has. A field is `row[1]`, `row["age"]` or `row.age`.
    `Person = Row("name", "age")` defines names for `Person("Bob", 42)`. Two rows are equal if values, names and kinds
    are equal; named fields are compared by name.

    Args:
        args: the fields by position; or
        kwargs: the fields by name. Not both.

    Raises:
        ValueError: fields by position and by name.
    """

    __slots__ = _SLOTS

    _fields: list[str]
    _values: list[Any]
    _row_kind: RowKind

    def __init__(self, *args: object, **kwargs: object) -> None:
        if args and kwargs:
            raise ValueError("a Row has fields by position or by name, not both")
        if kwargs:
            self._fields = list(kwargs)
        self._values = list(kwargs.values() if kwargs else args)
        self._row_kind = RowKind.INSERT

    @staticmethod
    def of_kind(row_kind: RowKind, *args: object, **kwargs: object) -> MutableRow:
        """A row of a kind of change; further arguments as for `Row`."""
        row = MutableRow(*args, **kwargs)
        row._row_kind = row_kind
        return row

    def get_row_kind(self) -> RowKind:
        """The row's kind of change."""
        return self._row_kind

    def set_row_kind(self, row_kind: RowKind) -> None:
        """Set the row's kind of change."""
        self._row_kind = row_kind

    def set_field_names(self, field_names: Sequence[str]) -> None:
        """Set the names of the fields."""
        self._fields = list(field_names)

    def get_fields_by_names(self, names: Sequence[str]) -> list[Any]:
        """The values of these fields; all values if the row has no names.

        Raises:
            KeyError: the row has no such field.
        """
        if not self._named() or list(names) == self._fields:
            return self._values
        return [self[name] for name in names]

    def as_dict(self, recursive: bool = False) -> dict[str, Any]:
        """The fields by name.

        Args:
            recursive: return nested rows as dicts, too.

        Raises:
            TypeError: the fields have no names.
        """
        if not self._named():
            raise TypeError("the fields of this Row have no names")
        values = map(_plain, self._values) if recursive else self._values
        return dict(zip(self._fields, values, strict=True))

    def _names(self) -> tuple[str, ...]:
        return tuple(self._fields) if self._named() else ()

    def _named(self) -> bool:
        return hasattr(self, "_fields")

    def _at(self, name: str) -> int:
        if not self._named() or name not in self._fields:
            known = ", ".join(map(str, self._fields)) if self._named() else "no names"
            raise KeyError(f"the row has no field {name!r}; it has {known}")
        return self._fields.index(name)

    def __call__(self, *args: object) -> MutableRow:
        """A row whose field names are the values of this one."""
        if len(args) > len(self):
            raise ValueError(f"{self!r} names {len(self)} fields, and there are {len(args)} values")
        row = MutableRow(*args)
        row._fields, row._row_kind = list(self._values), self._row_kind
        return row

    def __getitem__(self, key: Any) -> Any:
        return self._values[self._at(key) if isinstance(key, str) else key]

    def __setitem__(self, key: Any, value: Any) -> None:
        self._values[self._at(key) if isinstance(key, str) else key] = value

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            return self._values[self._at(name)]
        except KeyError as fault:
            raise AttributeError(fault.args[0]) from None

    def __setattr__(self, name: str, value: object) -> None:
        if name not in _SLOTS:
            raise AttributeError(f'a field is set by row["{name}"] = value')
        object.__setattr__(self, name, value)

    def __contains__(self, item: object) -> bool:
        return item in (self._fields if self._named() else self._values)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, MutableRow) or self._row_kind is not other._row_kind:
            return False
        if self._named() and other._named():
            return sorted(self._fields) == sorted(other._fields) and self.as_dict() == other.as_dict()
        return not self._named() and not other._named() and self._values == other._values

    def __hash__(self) -> int:
        return hash(tuple(self._values))

    def __reduce__(self) -> tuple[object, ...]:
        return _restored, (self._fields if self._named() else None, tuple(self._values), self._row_kind)

    def __repr__(self) -> str:
        if not self._named():
            return f"<Row({', '.join(map(repr, self._values))})>"
        pairs = zip(self._fields, self._values, strict=False)
        return f"Row({', '.join(f'{name}={value!r}' for name, value in pairs)})"


def names_in(row: Row | MutableRow) -> tuple[str, ...]:
    """The names of the fields in order; empty if they have none."""
    return row.field_names if isinstance(row, Row) else row._names()


def _restored(names: list[str] | None, values: tuple[object, ...], kind: RowKind) -> MutableRow:
    row = MutableRow.of_kind(kind, *values)
    if names is not None:
        row.set_field_names(names)
    return row


def _plain(value: object) -> object:
    match value:
        case MutableRow():
            return value.as_dict(recursive=True)
        case list():
            return [_plain(item) for item in value]
        case dict():
            return {key: _plain(item) for key, item in value.items()}
    return value
