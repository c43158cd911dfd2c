"""Declarations that several formats share: column rules and JSON changelogs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from compiled_plan.plans import types as t
from compiled_plan.plans.connectors.common import JSON_OPTIONS
from compiled_plan.plans.connectors.format_spec import FormatSpec, Unfit
from compiled_plan.plans.connectors.spec import Metadata
from compiled_plan.plans.connectors.table_options import TableOption
from compiled_plan.plans.types.changelog import ChangelogMode

Rule = Callable[[t.RowType, Mapping[str, str]], Unfit | None]

#: Types whose values a folder name can hold.
FOLDER_TYPES = (t.CharacterType, t.BooleanType, t.NumericType, t.DateType, t.TimestampType)

#: Types that no column of a data source of Spark has.
_UNHELD_BY_SPARK = (
    t.TimeType,
    t.YearMonthIntervalType,
    t.DayTimeIntervalType,
    t.MultisetType,
    t.RawType,
    t.TimestampTzType,
    t.NullType,
)


def column(name: str, field: t.Field, remedy: str) -> Unfit:
    """The refusal of a column that a format cannot hold."""
    return Unfit(f"format {name!r} cannot hold column {field.name!r} of type {field.type}", remedy)


def within(type_: t.LogicalType) -> Iterator[t.LogicalType]:
    """A type and all types nested in it."""
    yield type_
    for child in type_.children():
        yield from within(child)


def unheld_by_spark(type_: t.LogicalType) -> bool:
    """Return True if no column of a data source of Spark has a type."""
    return any(isinstance(part, _UNHELD_BY_SPARK) for part in within(type_))


def without(name: str, wrong: tuple[type[t.LogicalType], ...], remedy: str) -> Rule:
    """Column rule of a format that cannot hold some types."""

    def rule(row: t.RowType, options: Mapping[str, str]) -> Unfit | None:
        for field in row.fields:
            if any(isinstance(type_, wrong) for type_ in within(field.type)):
                return column(name, field, remedy)
        return None

    return rule


def json_columns(name: str) -> Rule:
    """Column rule of a JSON format."""

    def rule(row: t.RowType, options: Mapping[str, str]) -> Unfit | None:
        remedy = "JSON has maps and multisets with keys that are texts only: make the key a STRING"
        return next(
            (column(name, field, remedy) for field in row.fields if any(map(_no_json, within(field.type)))), None
        )

    return rule


def changelog_json(
    name: str,
    doc: str,
    metadata: Mapping[str, Metadata],
    *,
    options: Mapping[str, TableOption] | None = None,
    only_read: tuple[str, ...] = (),
    at_start: str = "",
) -> FormatSpec:
    """A format of JSON events that a change data capture tool writes, with its options."""
    return FormatSpec(
        name,
        doc,
        {**JSON_OPTIONS, **(options or {})},
        reads=ChangelogMode.ALL,
        writes=ChangelogMode.ALL,
        metadata=metadata,
        extension="json",
        only_read=only_read,
        messages=True,
        unfit=json_columns(name),
        at_start=at_start,
    )


def _no_json(type_: t.LogicalType) -> bool:
    match type_:
        case t.MapType():
            return not isinstance(type_.key, t.CharacterType)
        case t.MultisetType():
            return not isinstance(type_.element, t.CharacterType)
    return isinstance(type_, t.RawType | t.VariantType | t.BitmapType | t.TimestampTzType)
