"""The built-in conversions as a table in Markdown.

`python -m plans.types.conversions.table` prints the one of the README; a test holds the two together.
"""

from __future__ import annotations

from plans.types import logical as t
from plans.types.conversions.builtin import PACKAGED, SIMPLE, Conversion
from plans.types.conversions.nested import CLASSES

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


def lines() -> list[str]:
    """The rows of the table with its head; types that convert alike share a row."""
    alike: dict[tuple[str, str, str], list[str]] = {}
    for type_ in (*SIMPLE, *(one for one in CLASSES if one is not t.NullType)):
        alike.setdefault(_cells(type_), []).append(_NAMES.get(type_, type_.ROOT))
    head = ["| type | comes out as | goes in as, too; comes out as with `bridged_to` | |", "| --- | --- | --- | --- |"]
    return head + [f"| {', '.join(names)} | {' | '.join(cells)} |" for cells, names in alike.items()]


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


def _class_text(item: Conversion) -> str:
    way = "" if item.to_external else " (in only)"
    return f"`{item.class_.__name__}`{way}" + (f": {item.note}" if item.note else "")


def _public(name: str) -> str:
    return name.replace("_libs.tslibs.timestamps.", "").replace("dateutil.relativedelta.", "dateutil.")


if __name__ == "__main__":
    print("\n".join(lines()))
