"""Signatures of functions.

Source: FLIP-65, "Resolution Process".
"""

from __future__ import annotations

from dataclasses import dataclass

from compiled_plan.plans import types as t
from compiled_plan.plans.types.python.bridge import Bridged


@dataclass(frozen=True, slots=True)
class Argument:
    """A parameter of a signature."""

    name: str | None  # for calls by name
    type: Bridged | None  # None: any type
    optional: bool = False  # may be omitted, with `default` in its place
    default: object = None

    def __str__(self) -> str:
        shown = "ANY" if self.type is None else str(self.type.type)
        text = f"{self.name} => {shown}" if self.name else shown
        return f"[{text}]" if self.optional else text


@dataclass(frozen=True, slots=True)
class Signature:
    """A signature of a function: the method, its arguments and its result.

    With `varargs` the last argument may be repeated any number of times, or omitted.
    """

    method: str
    arguments: tuple[Argument, ...]
    output: Bridged
    varargs: bool = False
    accumulator: Bridged | None = None

    def text(self, name: str) -> str:
        shown = [str(item) for item in self.arguments]
        if self.varargs:
            shown[-1] += "..."
        return f"{name}({', '.join(shown)})"

    def takes(self, count: int) -> bool:
        """Return True if a call by position may have `count` arguments."""
        needed = sum(not item.optional for item in self.arguments) - self.varargs
        return needed <= count and (self.varargs or count <= len(self.arguments))

    def argument(self, at: int) -> Argument:
        """The parameter of an argument by position."""
        return self.arguments[min(at, len(self.arguments) - 1)]


def table_fields(output: Bridged) -> tuple[tuple[str, Bridged], ...]:
    """The columns of a table function's rows; a single unnamed column is `EXPR$0`."""
    if isinstance(output.type, t.FieldsType):
        nullable = output.type.nullable
        return tuple(
            (field.name, part.with_nullability(True) if nullable else part)
            for field, part in zip(output.type.fields, output.parts, strict=True)
        )
    return (("EXPR$0", output),)
