"""What a conversion is made into: functions both ways, and where they convert."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

Function = Callable[[Any], Any]
#: Classes and the functions that convert their objects; the first that fits is taken.
Choices = list[tuple[type, Function]]


@dataclasses.dataclass(frozen=True, slots=True)
class Spot:
    """Where values are converted, for errors: the column, and the operation or function (empty for none)."""

    column: str = ""
    place: str = ""

    def inside(self, name: str) -> Spot:
        """What a value holds: a field, an element."""
        return Spot(f"{self.column}.{name}" if self.column else name, self.place)

    def __str__(self) -> str:
        return ", ".join(part for part in (self.place, f"column {self.column}" if self.column else "") if part)


@dataclasses.dataclass(frozen=True, slots=True)
class Compiled:
    """Both directions of a conversion; both pass NULL by and raise DataError with column, type and value.

    `plain`: values come out as they are, so that nothing need be done for them.
    """

    to_internal: Function
    to_external: Function
    plain: bool = False
