"""Base of Flink's logical types, which are immutable. The types are in the modules `atomic`, `temporal`, `nested`.

Source: Flink's "Data Types" page and the type strings in Flink 2.3's compiled plans. Every type includes its
nullability; `str(type)` is the serialisable string of a plan (`VARCHAR(2147483647) NOT NULL`). Precisions and lengths
are in digits, characters or bytes, as in SQL.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

from compiled_plan.plans.errors import ProgramError

if TYPE_CHECKING:
    from compiled_plan.plans.types.converter import DataTypeConverter


@dataclass(frozen=True, slots=True, kw_only=True)
class LogicalType:
    """Base of all types. `nullable` is False for NOT NULL.

    `conversions` are user-defined, see `with_custom_conversion`; they do not affect equality of types.
    """

    nullable: bool = True
    conversions: tuple[tuple[type, DataTypeConverter[Any, Any]], ...] = field(default=(), compare=False, repr=False)

    #: Flink's LogicalTypeRoot, the name used in the JSON form of a type.
    ROOT: ClassVar[str] = ""

    def __str__(self) -> str:
        return self.text() + ("" if self.nullable else " NOT NULL")

    def text(self) -> str:
        """The serialisable string without nullability."""
        return self.ROOT

    def with_nullability(self, nullable: bool) -> Self:
        """The same type with the given nullability."""
        return self if self.nullable is nullable else replace(self, nullable=nullable)

    def not_null(self) -> Self:
        """The same type, NOT NULL."""
        return self.with_nullability(False)

    def as_regular(self) -> Self:
        """The plain type of a time attribute; any other type unchanged."""
        return self

    def children(self) -> Iterator[LogicalType]:
        """The component types, in order."""
        return iter(())

    def with_custom_conversion(self, class_: type, converter: DataTypeConverter[Any, Any] | None) -> Self:
        """The same type, whose values may also be objects of a user-defined class.

        Source: the DataTypeConverter FLIP, "Public Interfaces", 2.

        Args:
            class_: the external class; its subclasses are converted, too.
            converter: converts its objects; has `to_internal` and `to_external`.

        Raises:
            ProgramError: `class_` is no class; `converter` is None, or lacks a method.
        """
        if converter is None:
            raise ProgramError(
                f"the converter of {getattr(class_, '__name__', class_)} for {self} is None",
                where="with_custom_conversion()",
                remedy="give an object of a subclass of DataTypeConverter",
            )
        return self.with_custom_conversions({class_: converter})

    def with_custom_conversions(self, conversions: Mapping[type, DataTypeConverter[Any, Any] | None]) -> Self:
        """The same type with several custom conversions; classes with None are ignored.

        Raises:
            ProgramError: as `with_custom_conversion`.
        """
        from compiled_plan.plans.types.converter import check_conversion

        added = {class_: converter for class_, converter in conversions.items() if converter is not None}
        for class_, converter in added.items():
            check_conversion(class_, converter)
        return replace(self, conversions=tuple((dict(self.conversions) | added).items()))


def quote_identifier(name: str) -> str:
    """Quote `name` with backticks, doubling inner ones."""
    return "`" + name.replace("`", "``") + "`"


def quote_string(text: str) -> str:
    """Quote `text` as an SQL string literal."""
    return "'" + text.replace("'", "''") + "'"
