"""User-defined converters in the types of functions, opened in the process that calls the function."""

from __future__ import annotations

from compiled_plan.plans import types as t
from compiled_plan.plans.types.converter import Convert
from compiled_plan.plans.types.python.bridge import Bridged


def internal(type_: t.LogicalType) -> Bridged:
    """The type with its internal values as objects: the input and output of converters."""
    if isinstance(type_, t.TimeType | t.DayTimeIntervalType):
        return Bridged(type_, int)
    children = tuple(map(internal, type_.children()))
    return Bridged(type_, tuple if isinstance(type_, t.FieldsType) else None, children)


#: Converters opened in this process, by id. References are kept so that ids are not reused.
_OPENED: dict[int, object] = {}


class Converted:
    """One direction of a converter, opened once per process before its first value.

    `external` selects the direction from internal values to objects; `place` is the argument or result, for errors.
    """

    def __init__(self, bridged: Bridged, external: bool, place: str) -> None:
        self.bridged, self.external, self.place = bridged, external, place
        self.call: Convert | None = None

    def __getstate__(self) -> tuple[Bridged, bool, str]:
        return self.bridged, self.external, self.place

    def __setstate__(self, state: tuple[Bridged, bool, str]) -> None:
        self.bridged, self.external, self.place = state
        self.call = None

    def __call__(self, value: object) -> object:
        if self.call is None:
            self.call = self._opened()
        return self.call(value)

    def _opened(self) -> Convert:
        from compiled_plan.plans.types.conversions import compiling, custom, nested, resolve_class

        type_, converter = self.bridged.type, self.bridged.converter
        conversion = custom.Custom(converter, self.bridged.class_ or object, type_, self.place)
        if id(converter) not in _OPENED:
            conversion.open(resolve_class)
            _OPENED[id(converter)] = converter
        if self.external:
            return conversion.to_external
        return conversion.inward(compiling.fitting(type_, nested.Spot(place=self.place), resolve_class))
