"""Structured values changed: `.object_update`.

Source: FLIP-520, "Value Modification".
"""

from __future__ import annotations

from typing import Self

from compiled_plan.planner.table.expressions.core import Operand, refuse, text_of


class Objects(Operand):
    """`.object_update("field", value)`."""

    __slots__ = ()

    def object_update(self, *keys_and_values: object, **fields: object) -> Self:
        """OBJECT_UPDATE: a structured value with other values in some of its fields.

        Args:
            keys_and_values: names and values in turn: `.object_update("name", "Alice", "age", 43)`; or
            fields: by keyword: `.object_update(name="Alice")`.

        Raises:
            ProgramError: a name without a value, or a name that is no text; when the table takes it: a value that is
                not structured, a field that it does not have (names those it has).
        """
        pairs = pairs_of(f"{text_of(self)}.object_update", keys_and_values, fields)
        return self._call("object_update", "OBJECT_UPDATE", *pairs)


def pairs_of(what: str, values: tuple[object, ...], fields: dict[str, object]) -> list[object]:
    """Names and values in turn, those by keyword behind the others.

    Raises:
        ProgramError: a name without a value, or a name that is no text.
    """
    if len(values) % 2:
        raise refuse(f"{what}() takes names and values in turn, and the last name has no value", 'write "name", value')
    for key in values[::2]:
        if not isinstance(key, str | Operand):
            raise refuse(f"{what}() takes names and values in turn, and {key!r} is no name", 'write "name", value')
    named_fields = [part for pair in fields.items() for part in pair]
    return [*values, *named_fields]
