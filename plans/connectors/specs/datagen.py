"""The connector `datagen`, with its options per column and nested field.

Sources: Flink's page "DataGen"; the options that Flink 2.3 accepts for each type.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from compiled_plan.plans import types as t
from compiled_plan.plans.connectors.common import LATE_ROWS, passive, tuning
from compiled_plan.plans.connectors.spec import Boundedness, ConnectorSpec, SourceSpec
from compiled_plan.plans.connectors.table_options import OptionGroup, TableOption, Use
from compiled_plan.plans.text.options import Kind

_KIND = TableOption(Kind.WORD, "random", ("random", "sequence"), doc="Random values, or a sequence.")
_NULLS = TableOption(Kind.RATE, "0", doc="The share of NULLs.")
_LENGTH = TableOption(Kind.POSITIVE, doc="Number of characters, bytes or elements.")
_ENDS = {
    "start": TableOption(Kind.INTEGER, doc="The first value.", required=True),
    "end": TableOption(Kind.INTEGER, doc="The last value.", required=True),
}


def column_options(row: t.RowType, options: Mapping[str, str]) -> Mapping[str, TableOption]:
    """The options of the columns by full name; those of a sequence or of random values, as `options` select."""
    declared: dict[str, TableOption] = {}
    for field in row.fields:
        for path, type_ in paths(f"fields.{field.name}", field.type):
            sequence = options.get(f"{path}.kind") == "sequence"
            own = _ENDS if sequence else {"null-rate": _NULLS, **_random(type_)}
            declared |= {f"{path}.{name}": option for name, option in {"kind": _KIND, **own}.items()}
    return declared


def paths(path: str, type_: t.LogicalType) -> Iterator[tuple[str, t.LogicalType]]:
    """The option prefixes of a column and of its nested fields, with their types."""
    yield path, type_
    for name, child in children(type_):
        yield from paths(f"{path}.{name}", child)


def children(type_: t.LogicalType) -> list[tuple[str, t.LogicalType]]:
    """The direct children of a type, by their names in options."""
    match type_:
        case t.ArrayType() | t.MultisetType():
            return [("element", type_.element)]
        case t.MapType():
            return [("key", type_.key), ("value", type_.value)]
        case t.FieldsType():
            return [(field.name, field.type) for field in type_.fields]
    return []


def _random(type_: t.LogicalType) -> Mapping[str, TableOption]:
    match type_:
        case t.VarCharType() | t.VarBinaryType():
            return {
                "length": _LENGTH,
                "var-len": TableOption(Kind.BOOLEAN, "false", doc="Vary the length, up to `length`."),
            }
        case t.ArrayType() | t.MapType() | t.MultisetType():
            return {"length": _LENGTH}
        case t.IntegerType() | t.IntervalType():
            return {"min": TableOption(Kind.INTEGER), "max": TableOption(Kind.INTEGER)}
        case t.NumericType():
            return {"min": TableOption(Kind.NUMBER), "max": TableOption(Kind.NUMBER)}
        case t.TimestampBase():
            return {"max-past": TableOption(Kind.DURATION)}
    return {}


def column_faults(row: t.RowType, options: Mapping[str, str]) -> Iterator[tuple[str, str, str]]:
    """Contradictory options of columns: option, message, remedy. Their values are checked before."""
    for field in row.fields:
        for path, type_ in paths(f"fields.{field.name}", field.type):
            own = {name: options[f"{path}.{name}"] for name in _NAMES if f"{path}.{name}" in options}
            for name, message, remedy in _together(type_, own):
                yield f"{path}.{name}", message.format(path=path), remedy


_NAMES = ("kind", "start", "end", "min", "max", "length")


def _together(type_: t.LogicalType, own: Mapping[str, str]) -> Iterator[tuple[str, str, str]]:
    if isinstance(type_, t.RawType | t.NullType):
        yield "kind", f"datagen has no values of type {type_}", "leave the column out"
        return
    if own.get("kind") == "sequence":
        if not isinstance(type_, t.NumericType | t.CharacterType):
            yield "kind", f"a column of type {type_} cannot be a sequence", "make it a number or STRING"
        if "start" in own and "end" in own and int(own["start"]) > int(own["end"]):
            yield "end", "the sequence '{path}' ends before it starts", "swap 'start' and 'end'"
        return
    if "min" in own and "max" in own and float(own["min"]) > float(own["max"]):
        yield "max", "'{path}.min' is larger than '{path}.max'", "swap them"
    longest = getattr(type_, "length", None)
    if longest is not None and int(own.get("length", "1")) > longest:
        yield "length", f"a length of {own['length']} does not fit {type_}", f"give at most {longest}"


SPEC = ConnectorSpec(
    "datagen",
    "Rows of random values and sequences.",
    {
        "rows-per-second": passive(Kind.POSITIVE, "Number of generated rows per second.", default="10000"),
        "number-of-rows": TableOption(
            Kind.COUNT, doc="Number of rows after which the table ends; unlimited by default."
        ),
        "scan.parallelism": tuning(Kind.INTEGER, "Number of generating tasks.", Use.SOURCE),
        **LATE_ROWS,
    },
    source=SourceSpec(bounded=Boundedness.BY_OPTION),
    groups=(
        OptionGroup(
            "fields.",
            "Options of a column, `fields.<column>.<option>`: `kind`, `start` and `end` of a sequence, `min`, `max`, "
            "`length`, `var-len`, `max-past`, `null-rate`; also of nested types, `fields.<column>.element.<option>`.",
        ),
    ),
    column_options=column_options,
    column_faults=column_faults,
)
