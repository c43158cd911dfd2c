"""Nested types: arrays, maps, multisets, rows, structured types."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import ClassVar

from compiled_plan.plans.errors import NestingError, ProgramError
from compiled_plan.plans.types.base import LogicalType, quote_identifier, quote_string

#: Maximum nesting: ten levels are unusual, and users of types (Spark schemas, conversions) are recursive.
MAX_LEVELS = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class NestedType(LogicalType):
    """Base of types with component types. Raises NestingError for more than `MAX_LEVELS` of nesting."""

    #: Levels of nesting, including this type.
    levels: int = field(init=False, compare=False, repr=False, default=0)

    def __post_init__(self) -> None:
        levels = 1
        for child in self.children():
            if isinstance(child, NestedType) and child.levels >= levels:
                levels = child.levels + 1
        if levels > MAX_LEVELS:
            raise NestingError(
                f"a type is nested more than {MAX_LEVELS} levels deep", remedy="keep what is deeper as text, as JSON"
            )
        object.__setattr__(self, "levels", levels)


@dataclass(frozen=True, slots=True, kw_only=True)
class ArrayType(NestedType):
    """ARRAY<element>: elements of one type, in order."""

    ROOT: ClassVar[str] = "ARRAY"
    element: LogicalType

    def text(self) -> str:
        return f"ARRAY<{self.element}>"

    def children(self) -> Iterator[LogicalType]:
        yield self.element


@dataclass(frozen=True, slots=True, kw_only=True)
class MultisetType(NestedType):
    """MULTISET<element>; values are maps from element to count."""

    ROOT: ClassVar[str] = "MULTISET"
    element: LogicalType

    def text(self) -> str:
        return f"MULTISET<{self.element}>"

    def children(self) -> Iterator[LogicalType]:
        yield self.element


@dataclass(frozen=True, slots=True, kw_only=True)
class MapType(NestedType):
    """MAP<key, value>: keys of one type, values of another."""

    ROOT: ClassVar[str] = "MAP"
    key: LogicalType
    value: LogicalType

    def text(self) -> str:
        return f"MAP<{self.key}, {self.value}>"

    def children(self) -> Iterator[LogicalType]:
        yield self.key
        yield self.value


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a row or structured type."""

    name: str
    type: LogicalType
    comment: str | None = None

    def __str__(self) -> str:
        text = f"{quote_identifier(self.name)} {self.type}"
        return text if self.comment is None else f"{text} {quote_string(self.comment)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldsType(NestedType):
    """Base of types with named fields."""

    fields: tuple[Field, ...] = ()

    def children(self) -> Iterator[LogicalType]:
        return (field.type for field in self.fields)

    @property
    def names(self) -> tuple[str, ...]:
        """The field names in order."""
        return tuple(field.name for field in self.fields)

    @property
    def types(self) -> tuple[LogicalType, ...]:
        """The field types in order."""
        return tuple(field.type for field in self.fields)

    def field_named(self, name: str) -> Field | None:
        """The field of that name, or None."""
        return next((field for field in self.fields if field.name == name), None)


class RowType(FieldsType):
    """ROW<name type 'comment', ...>: named fields in order."""

    __slots__ = ()
    ROOT: ClassVar[str] = "ROW"

    def text(self) -> str:
        return f"ROW<{', '.join(map(str, self.fields))}>"


@dataclass(frozen=True, slots=True, kw_only=True)
class StructuredType(FieldsType):
    """STRUCTURED<'class name', name type, ...>.

    `json` holds a plan's JSON form (as text) if the plan writes the type as an object.
    """

    ROOT: ClassVar[str] = "STRUCTURED_TYPE"
    class_name: str
    json: str | None = field(default=None, compare=False)

    def same_class(self, another: StructuredType) -> bool:
        """Return True if both have the same class name, and the same field names in the same order."""
        return self.class_name == another.class_name and self.names == another.names

    def text(self) -> str:
        return f"STRUCTURED<{', '.join([quote_string(self.class_name), *map(str, self.fields)])}>"


def check_structured(name: str) -> str:
    """The name of a structured type. Raises ProgramError for a blank one.

    Any other name is valid: FLIP-520 does not require it to be that of a class. Flink 2.3 itself loads only names that
    consist of identifiers.
    """
    if not name.strip():
        raise ProgramError(
            f"invalid class name {name!r}: a structured type needs a name", remedy="write it as 'package.module.Class'"
        )
    return name


def row_of(names: list[str] | tuple[str, ...], types: list[LogicalType] | tuple[LogicalType, ...]) -> RowType:
    """A row type of names and types; both have the same length."""
    return RowType(fields=tuple(Field(name, type_) for name, type_ in zip(names, types, strict=True)))
