"""What is wrong with a table's options and columns, by the declarations of its connector and format.

Whoever compiles, edits or runs a plan asks here, so an option that compiles is one that runs.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches

from plans.connectors.builtin import CONNECTORS, FLINK_CONNECTORS, FLINK_FORMATS, FORMATS, IN_PROCESS
from plans.connectors.columns import FOLDER_TYPES, unfit_columns
from plans.connectors.declarations import Connector, Effect, Format, TableOption
from plans.types import RowType


@dataclass(frozen=True, slots=True)
class TableFault:
    """What is wrong with a table.

    Args:
        message: what is wrong, in one sentence.
        remedy: what to do about it.
        option: the option that is wrong; empty where one is missing or it is about columns.
        supported: False where Flink has it and it does not run here.
        foreign: True where Flink may know it, from a jar of the user's: a plan with it can be edited, not run.
    """

    message: str
    remedy: str
    option: str = ""
    supported: bool = True
    foreign: bool = False


def table_faults(
    table: str,
    options: Mapping[str, str],
    columns: RowType,
    partition_keys: Collection[str] = (),
    *,
    reading: bool,
    lookup: bool = False,
) -> Iterator[TableFault]:
    """All that keeps a table from being read or written.

    Args:
        table: its name, for messages.
        options: its options.
        columns: its physical columns.
        partition_keys: names of the columns that partition it.
        reading: whether it is read; else it is written.
        lookup: whether it is asked by key.
    """
    name = options.get("connector")
    connector = find_connector(name or "")
    if name is None or connector is None:
        yield _no_connector(table, name)
        return
    role = _role_fault(table, connector, reading, lookup)
    if role is not None:
        yield role
        return
    for needed in connector.required:
        if needed not in options and needed != "format":
            message = f"table {table} lacks the option {needed!r}, which connector {name!r} requires"
            yield TableFault(message, f"add '{needed}' = '...'")
    if options.get("path") == "" and "path" in connector.options:
        yield TableFault(f"the path of table {table} is empty", "set 'path' to a file or folder", "path")
    format_: Format | None = None
    if connector.formatted:
        fault = format_fault(table, options, connector)
        if fault is not None:
            yield fault
            return
        format_ = FORMATS[options["format"]]
    row = replace(columns, fields=tuple(field for field in columns.fields if field.name not in partition_keys))
    faults = list(_option_faults(table, options, connector, format_, row))
    faults += _partition_faults(columns, partition_keys)
    yield from faults
    if faults:
        return
    if format_ is not None:
        found = unfit_columns(format_.name, row, format_options(options, format_.name))
        if found is not None:
            yield TableFault(found.message, found.remedy)
    if connector.by_column:
        from plans.connectors.datagen import column_faults

        for option, message, remedy in column_faults(row, options):
            yield TableFault(message, remedy, option)


def find_connector(name: str) -> Connector | None:
    """The connector of that name, those inside of a program included."""
    return CONNECTORS.get(name) or IN_PROCESS.get(name)


def format_options(options: Mapping[str, str], format_: str) -> dict[str, str]:
    """The options of the format without its prefix, choices spelled as declared; those that it does not have left out.

    Flink passes over options of a format that it does not know. Those of open formats go to a library.
    """
    declared, prefix = FORMATS[format_], f"{format_}."
    given = {key.removeprefix(prefix): value for key, value in options.items() if key.startswith(prefix)}
    if declared.open:
        return given
    known = declared.options
    return {key: known[key].spelled(value) for key, value in given.items() if key in known}


def unknown_format_options(options: Mapping[str, str]) -> Mapping[str, str]:
    """Options that begin as those of the table's format and that it does not have, with what may be meant.

    They have no effect.
    """
    format_ = FORMATS.get(options.get("format", ""))
    if format_ is None or format_.open:
        return {}
    known = {f"{format_.name}.{key}": option for key, option in format_.options.items()}
    return {key: _choices(key, known) for key in options if key.startswith(f"{format_.name}.") and key not in known}


def format_fault(table: str, options: Mapping[str, str], connector: Connector) -> TableFault | None:
    """What is wrong with the option 'format'."""
    name = options.get("format")
    if name is None:
        message = f"table {table} has no format, which connector {connector.name!r} requires"
        return TableFault(message, f"add 'format' = '...', one of: {', '.join(sorted(FORMATS))}")
    if name in FORMATS:
        return None
    if name in FLINK_FORMATS:
        remedy = f"use one of: {', '.join(sorted(FORMATS))}"
        return TableFault(f"format {name!r} is not supported", remedy, "format", supported=False, foreign=True)
    return _unknown("format", name, FORMATS)


def _no_connector(table: str, name: str | None) -> TableFault:
    known = ", ".join(sorted(CONNECTORS))
    if name is None:
        return TableFault(f"table {table} has no connector", f"add 'connector' = '...', one of: {known}")
    if name in FLINK_CONNECTORS:
        remedy = f"use one of: {known}"
        return TableFault(f"connector {name!r} is not supported", remedy, "connector", supported=False, foreign=True)
    return _unknown("connector", name, CONNECTORS)


def _unknown(what: str, name: str, known: Mapping[str, object]) -> TableFault:
    near = get_close_matches(name, known, n=1)
    return TableFault(f"no {what} is named {name!r}", _choices(name, known), what, foreign=not near)


def _role_fault(table: str, connector: Connector, reading: bool, lookup: bool) -> TableFault | None:
    name = connector.name
    if lookup and not connector.lookup:
        able = ", ".join(sorted(key for key, item in CONNECTORS.items() if item.lookup))
        message = f"connector {name!r} of table {table} cannot be looked up"
        return TableFault(message, f"look up one of: {able}", "connector", supported=False)
    if reading and not connector.source:
        able = ", ".join(sorted(key for key, item in CONNECTORS.items() if item.source))
        message = f"connector {name!r} of table {table} can only be written, not read"
        return TableFault(message, f"read from one of: {able}", "connector")
    if not reading and not connector.sink:
        able = ", ".join(sorted(key for key, item in CONNECTORS.items() if item.sink))
        message = f"connector {name!r} of table {table} can only be read, not written"
        return TableFault(message, f"write to one of: {able}", "connector")
    return None


def _option_faults(
    table: str, options: Mapping[str, str], connector: Connector, format_: Format | None, row: RowType
) -> Iterator[TableFault]:
    known: dict[str, TableOption] = dict(connector.options)
    prefix = ""
    if format_ is not None:
        prefix = f"{format_.name}."
        known |= {prefix + key: option for key, option in format_.options.items()}
    if connector.by_column:
        from plans.connectors.datagen import column_options

        by_column = column_options(row, options)
        known |= by_column
        for key, option in by_column.items():
            if option.required and key not in options:
                path = key.rpartition(".")[0]
                yield TableFault(f"a sequence needs the option {key!r}", f"add '{path}.start' and '{path}.end'")
    for key, value in options.items():
        found = known.get(key)
        if found is None:
            # Flink passes over what begins as an option of the format.
            if not prefix or not key.startswith(prefix):
                message = f"connector {connector.name!r} of table {table} has no option {key!r}"
                yield TableFault(message, _choices(key, known), key)
        elif found.effect is Effect.REFUSED:
            message = f"option {key!r} of table {table} is not supported"
            yield TableFault(message, "leave the option out", key, supported=False, foreign=True)
        else:
            remedy = found.unfit(key, value)
            if remedy is not None:
                yield TableFault(f"invalid value {value!r} for the option {key!r} of table {table}", remedy, key)
    if format_ is not None:
        yield from _format_faults(options, format_)


def _format_faults(options: Mapping[str, str], format_: Format) -> Iterator[TableFault]:
    """Options of a format that contradict each other."""
    for one, other in format_.not_both:
        both = [f"{format_.name}.{name}" for name in (one, other)]
        if all(options.get(key, "").strip().lower() == "true" for key in both):
            yield TableFault(f"{both[0]} and {both[1]} cannot both be true", "set one to 'false'", both[1])
    quote, off = "csv.quote-character", "csv.disable-quote-character"
    if format_.name == "csv" and quote in options and options.get(off, "").strip().lower() == "true":
        yield TableFault(f"{quote} and {off} cannot both be set", "leave one of them out", off)


def _partition_faults(columns: RowType, keys: Collection[str]) -> Iterator[TableFault]:
    """Partition columns that are not there, and such as the name of a folder cannot hold."""
    for key in keys:
        found = columns.field_named(key)
        if found is None:
            yield TableFault(f"partition column {key!r} is not a column", f"columns are: {', '.join(columns.names)}")
        elif not isinstance(found.type, FOLDER_TYPES):
            message = f"partition column {key!r} of type {found.type} cannot be read from the name of a folder"
            yield TableFault(message, "make it a STRING, BOOLEAN, number, DATE or TIMESTAMP")


def _choices(name: str, known: Mapping[str, object]) -> str:
    near = get_close_matches(name, known, n=1)
    choices = sorted(key for key in known if not key.startswith("fields."))
    listed = f"one of: {', '.join(choices[:12])}{', ...' if len(choices) > 12 else ''}"
    return f"did you mean {near[0]!r}? {listed}" if near else listed
