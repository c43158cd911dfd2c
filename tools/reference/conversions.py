"""The built-in conversions between Python objects and values of columns."""

from __future__ import annotations

from compiled_plan.plans.types import logical as t
from compiled_plan.plans.types.conversions.builtin import PACKAGED, SIMPLE
from compiled_plan.plans.types.conversions.data_type import CLASSES
from tools.reference.markdown import table

_NESTED_NOTES: dict[type[t.LogicalType], str] = {
    t.ArrayType: "any other sequence goes in, too",
    t.MapType: "any mapping",
    t.MultisetType: "a dict counts its keys",
    t.RowType: "by name where the object has names, else by position; any class whose constructor takes the fields",
    t.StructuredType: "its class, where the name is that of a class of the program's own; else as ROW",
}
_NAMES: dict[type[t.LogicalType], str] = {
    t.IntType: "INT",
    t.TimeType: "TIME",
    t.TimestampType: "TIMESTAMP",
    t.TimestampLtzType: "TIMESTAMP_LTZ",
    t.YearMonthIntervalType: "INTERVAL YEAR TO MONTH",
    t.DayTimeIntervalType: "INTERVAL DAY TO SECOND",
    t.StructuredType: "STRUCTURED",
}


def conversions() -> str:
    """A row per type; types with the same conversions share one."""
    alike: dict[tuple[str, str, str], list[str]] = {}
    for type_ in (*SIMPLE, *(class_ for class_ in CLASSES if class_ is not t.NullType)):
        alike.setdefault(_cells(type_), []).append(_NAMES.get(type_, type_.ROOT))
    titles = ("type", "comes out as", "goes in as, too; comes out as with `bridged_to`", "")
    return table(titles, ((", ".join(names), *cells) for cells, names in alike.items()))


def _cells(type_: type[t.LogicalType]) -> tuple[str, str, str]:
    if type_ in CLASSES:
        first, *more = (f"`{class_.__name__}`" for class_ in CLASSES[type_])
        more += [f"`{_public(item.name)}`" for item in PACKAGED.get(type_, ())]
        return first, ", ".join(more), _NESTED_NOTES[type_]
    first_, *others = SIMPLE[type_]
    words = [
        f"`{item.class_.__name__}`"
        + ("" if item.to_external else " (in only)")
        + (f": {item.note}" if item.note else "")
        for item in others
    ]
    words += [f"`{_public(item.name)}`" for item in PACKAGED.get(type_, ())]
    return f"`{first_.class_.__name__}`", "; ".join(words), first_.note


def _public(name: str) -> str:
    return name.replace("_libs.tslibs.timestamps.", "").replace("dateutil.relativedelta.", "dateutil.")
