"""Check of a table's options and columns against the declarations of its connector and formats.

Compiling, editing and running a plan share this check, so an option that compiles also runs.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches

from compiled_plan.plans.connectors.columns import FOLDER_TYPES
from compiled_plan.plans.connectors.format_spec import FormatSpec
from compiled_plan.plans.connectors.refused import FLINK_CONNECTORS, FLINK_FORMATS
from compiled_plan.plans.connectors.registry import connector_spec, connector_specs, format_spec, format_specs
from compiled_plan.plans.connectors.spec import ConnectorSpec, FormatSlot, Metadata, TableUse
from compiled_plan.plans.connectors.table_options import Effect, TableOption, Use
from compiled_plan.plans.nodes.declared import TableFault
from compiled_plan.plans.text.options import Kind
from compiled_plan.plans.text.references import FORM, has_reference, malformed
from compiled_plan.plans.types import RowType
from compiled_plan.plans.types.changelog import ChangelogMode


def table_faults(
    table: str,
    options: Mapping[str, str],
    columns: RowType,
    partition_keys: Collection[str] = (),
    *,
    reading: bool,
    lookup: bool = False,
    primary_key: Sequence[str] = (),
    resolved: bool = False,
) -> Iterator[TableFault]:
    """Faults that prevent reading a table (`reading`; with `lookup` by key) or writing it; `columns` are physical.

    With `resolved`, references to secrets in the options have been replaced by their values.
    """
    name = options.get("connector")
    if not resolved and (early := list(_reference_faults(table, options))):
        yield from early
        return
    connector = connector_spec(name)
    if name is None or connector is None:
        yield _no_connector(table, name)
        return
    role = _role_fault(table, connector, reading, lookup)
    if role is not None:
        yield role
        return
    if lookup and (versions := list(_version_faults(table, options, connector))):
        yield from versions
        return
    row = replace(columns, fields=tuple(field for field in columns.fields if field.name not in partition_keys))
    # Checked first: a misspelt option explains why a required one is missing.
    unknown = list(_unknown_options(table, options, connector, row))
    yield from unknown
    slots = [option for slot in connector.formats for option in slot.options]
    for needed, option in connector.options.items():
        if option.required and needed not in options and needed not in slots:
            message = f"table {table} lacks the option {needed!r}, which connector {name!r} requires"
            yield TableFault(message, f"add '{needed}' = '...'")
    if options.get("path") == "" and "path" in connector.options:
        yield TableFault(f"the path of table {table} is empty", "set 'path' to a file or folder", "path")
    wrong = list(_format_faults(table, options, connector))
    yield from wrong
    if wrong:
        return
    formats = formats_of(options, connector)
    if not reading:
        yield from _only_read(table, options, formats)
    faults = list(_option_faults(table, options, connector, formats, row))
    faults += _partition_faults(columns, partition_keys)
    yield from faults
    if faults or unknown:
        return
    use = TableUse(table, row, options, tuple(primary_key), reading)
    if connector.faults is not None:
        faults = list(connector.faults(use))
        yield from faults
        if faults:
            return
    parts = dict.fromkeys(formats, row) if connector.messages is None else connector.messages(use)
    for slot, spec in formats.items():
        unfit = spec.unfit(parts[slot], format_options(options, spec.name, slot)) if spec.unfit is not None else None
        if unfit is not None:
            yield TableFault(unfit.message, unfit.remedy)
    if connector.column_faults is not None:
        for key, message, remedy in connector.column_faults(row, options):
            yield TableFault(message, remedy, key)


def _version_faults(table: str, options: Mapping[str, str], connector: ConnectorSpec) -> Iterator[TableFault]:
    for option in connector.lookup.versions if connector.lookup is not None else ():
        if option in options:
            message = f"a lookup reads the newest rows of table {table}, and {option!r} names a version"
            remedy = "leave the option out, or join the table without FOR SYSTEM_TIME"
            yield TableFault(message, remedy, option, supported=False)


def _reference_faults(table: str, options: Mapping[str, str]) -> Iterator[TableFault]:
    """Malformed references to secrets, and references in options whose values are needed before a run."""
    referring = {key: value for key, value in options.items() if has_reference(value)}
    if not referring:
        return
    connector = connector_spec(options.get("connector"))
    formats = {} if connector is None else formats_of(options, connector)
    known = {} if connector is None else _known_options(options, connector, formats, RowType())
    names = {"connector"}.union(*(slot.options for slot in connector.formats) if connector is not None else ())
    for key, value in referring.items():
        if (wrong := malformed(value)) is not None:
            message = f"malformed reference to a secret in the option {key!r} of table {table}: {wrong}"
            yield TableFault(message, f"write ${{secret:NAME}}: {FORM}; or $${{secret: for the text itself", key)
        elif key in names or (key in known and not known[key].may_refer):
            message = f"the option {key!r} of table {table} refers to a secret, and its value is needed before a run"
            yield TableFault(message, "write the value", key)


def formats_of(options: Mapping[str, str], connector: ConnectorSpec) -> dict[str, FormatSpec]:
    """The formats of a table by the option that names them; the value's format first."""
    chosen = (slot.chosen(options) for slot in connector.formats)
    specs = {option: format_spec(name) for option, name in (choice for choice in chosen if choice is not None)}
    return {option: spec for option, spec in specs.items() if spec is not None}


def replaced_options(options: Mapping[str, str]) -> Mapping[str, str]:
    """The options of a table; those of the table that it replaces, if it stands for another one."""
    connector = connector_spec(options.get("connector"))
    if connector is None or not connector.stands_for:
        return options
    replaced: dict[str, str] = json.loads(options[connector.stands_for])
    return replaced


def changelog_of(options: Mapping[str, str], *, reading: bool) -> ChangelogMode | None:
    """The changelog mode of a table that is read or written; None if its options do not determine it."""
    options = replaced_options(options)
    connector = connector_spec(options.get("connector"))
    if connector is None:
        return None
    if connector.formats and not connector.own_changes:
        spec = next(iter(formats_of(options, connector).values()), None)
        return None if spec is None else spec.reads if reading else spec.writes
    if reading and connector.source is not None and connector.source.changes_by is not None:
        return connector.source.changes_by(options)
    use = connector.source if reading else connector.sink
    return ChangelogMode.INSERT if use is None else use.changes


def format_options(options: Mapping[str, str], format_: str, option: str = "format") -> dict[str, str]:
    """The known options of a format without its prefix, choices spelled as declared.

    Flink ignores unknown options of a format. Open formats pass theirs to a library.
    """
    spec, prefix = format_spec(format_), FormatSlot.prefix(option, format_)
    assert spec is not None, format_
    own = {key.removeprefix(prefix): value for key, value in options.items() if key.startswith(prefix)}
    if spec.open:
        return own
    known = {key: spec.option(key) for key in own}
    return {key: option.spelled(own[key]) for key, option in known.items() if option is not None}


def unknown_format_options(options: Mapping[str, str]) -> Mapping[str, str]:
    """Options without effect, with a remedy: they have the prefix of a table's format that does not declare them."""
    connector = connector_spec(options.get("connector"))
    unknown: dict[str, str] = {}
    for option, spec in formats_of(options, connector).items() if connector is not None else ():
        prefix = FormatSlot.prefix(option, spec.name)
        known = {prefix + key: option for key, option in spec.options.items()}
        if not spec.open:
            named = [key for key in options if key.startswith(prefix)]
            unknown |= {key: _choices(key, known) for key in named if spec.option(key.removeprefix(prefix)) is None}
    return unknown


def _format_faults(table: str, options: Mapping[str, str], connector: ConnectorSpec) -> Iterator[TableFault]:
    fitting = ", ".join(sorted(name for name, spec in format_specs().items() if _has_place(spec, connector)))
    for slot in connector.formats:
        chosen = slot.chosen(options)
        if chosen is None:
            if slot.required:
                message = f"table {table} has no format, which connector {connector.name!r} requires"
                yield TableFault(message, f"add '{slot.options[-1]}' = '...', one of: {fitting}")
        elif chosen[1] in FLINK_FORMATS or not _has_place(format_spec(chosen[1]), connector):
            remedy = f"use one of: {fitting}"
            where = f" by connector {connector.name!r}" if format_spec(chosen[1]) is not None else ""
            why = FLINK_FORMATS.get(chosen[1], "")
            message = f"format {chosen[1]!r} is not supported{where}{why and f': {why}'}"
            yield TableFault(message, remedy, chosen[0], supported=False, foreign=True)
        elif format_spec(chosen[1]) is None:
            yield _unknown("format", chosen[1], format_specs(), chosen[0])


def _has_place(spec: FormatSpec | None, connector: ConnectorSpec) -> bool:
    """Return True if a connector's files or messages can have the format, or the format is unknown."""
    return spec is None or (spec.files if connector.messages is None else spec.messages)


def metadata_of(options: Mapping[str, str]) -> Mapping[str, Metadata] | None:
    """The metadata columns of a table by key, those of the value format first; None if the connector is unknown, or
    takes any."""
    connector = connector_spec(options.get("connector"))
    if connector is None or connector.any_metadata:
        return None
    columns: dict[str, Metadata] = {}
    if connector.messages is not None:
        spec = next(iter(formats_of(options, connector).values()), None)
        columns = {f"value.{key}": item for key, item in spec.metadata.items()} if spec is not None else {}
    return {**columns, **connector.metadata}


def metadata_faults(
    table: str, options: Mapping[str, str], keys: Collection[str], *, reading: bool
) -> Iterator[TableFault]:
    """Metadata that is not supported at run time, and written rows without a destination."""
    connector, known = connector_spec(options.get("connector")), metadata_of(options) or {}
    if connector is None or connector.any_metadata:
        return
    use, verb = (Use.SOURCE, "give") if reading else (Use.SINK, "write")
    fit = ", ".join(key for key, item in known.items() if use in item.runs and (reading or item.writable))
    for key in keys:
        item = known.get(key)
        if item is None or not (item.readable if reading else item.writable) or use not in item.runs:
            message = f"connector {connector.name!r} of table {table} does not {verb} the metadata {key!r}"
            yield TableFault(message, f"leave the column out; metadata here: {fit or 'none'}", foreign=True)
    if connector.metadata_faults is not None and not reading:
        yield from connector.metadata_faults(table, options, keys)


def _no_connector(table: str, name: str | None) -> TableFault:
    known = ", ".join(sorted(connector_specs()))
    if name is None:
        return TableFault(f"table {table} has no connector", f"add 'connector' = '...', one of: {known}")
    if name in FLINK_CONNECTORS:
        remedy = f"use one of: {known}"
        message = f"connector {name!r} is not supported: {FLINK_CONNECTORS[name]}"
        return TableFault(message, remedy, "connector", supported=False, foreign=True)
    return _unknown("connector", name, connector_specs(), "connector")


def _unknown(kind: str, name: str, known: Mapping[str, object], option: str) -> TableFault:
    near = get_close_matches(name, known, n=1)
    return TableFault(f"no {kind} is named {name!r}", _choices(name, known), option, foreign=not near)


def _role_fault(table: str, connector: ConnectorSpec, reading: bool, lookup: bool) -> TableFault | None:
    name = connector.name
    if lookup:
        if connector.lookup is not None:
            return None
        message = f"connector {name!r} of table {table} cannot be looked up"
        return TableFault(message, f"look up one of: {_able(Use.LOOKUP)}", "connector", supported=False)
    if reading and connector.source is None and connector.lookup is None:
        message = f"connector {name!r} of table {table} can only be written, not read"
        return TableFault(message, f"read from one of: {_able(Use.SOURCE)}", "connector")
    if not reading and connector.sink is None:
        message = f"connector {name!r} of table {table} can only be read, not written"
        return TableFault(message, f"write to one of: {_able(Use.SINK)}", "connector")
    return None


def _able(use: Use) -> str:
    return ", ".join(sorted(name for name, spec in connector_specs().items() if use in spec.uses))


def _known_options(
    options: Mapping[str, str], connector: ConnectorSpec, formats: Mapping[str, FormatSpec], row: RowType
) -> dict[str, TableOption]:
    """The options of a table's connector, formats and columns, by name."""
    known: dict[str, TableOption] = {"connector": TableOption(Kind.TEXT), **connector.all_options}
    for slot, spec in formats.items():
        prefix = FormatSlot.prefix(slot, spec.name)
        own = {key.removeprefix(prefix) for key in options if key.startswith(prefix)}
        for key in (*spec.options, *own):
            option = spec.option(key)
            if option is not None and not (option.of_files and connector.messages is not None):
                known[prefix + key] = option
    if connector.column_options is not None:
        return {**known, **connector.column_options(row, options)}
    return {**known, **{key: option for key in options if (option := connector.option(key)) is not None}}


def _unknown_options(
    table: str, options: Mapping[str, str], connector: ConnectorSpec, row: RowType
) -> Iterator[TableFault]:
    """Options that neither the connector nor a format declares; options of an unknown format are not checked."""
    formats = formats_of(options, connector)
    known = _known_options(options, connector, formats, row)
    passed_over: list[str] = []
    for slot in connector.formats:
        option, name = slot.chosen(options) or (slot.options[0], "")
        if option not in formats and (name or slot.required):
            names = (name, *format_specs()) if name else format_specs()
            passed_over += [FormatSlot.prefix(option, format_) for option in slot.options for format_ in names]
        elif name and connector.messages is None:  # for files, Flink ignores unknown options with the format's prefix
            passed_over.append(FormatSlot.prefix(option, name))
    for key in options:
        if key not in known and not key.startswith(tuple(passed_over)):
            message = f"connector {connector.name!r} of table {table} has no option {key!r}"
            yield TableFault(message, _choices(key, known), key)


def _option_faults(
    table: str, options: Mapping[str, str], connector: ConnectorSpec, formats: Mapping[str, FormatSpec], row: RowType
) -> Iterator[TableFault]:
    prefixes = tuple(FormatSlot.prefix(option, spec.name) for option, spec in formats.items())
    for prefix, spec in zip(prefixes, formats.values(), strict=True):
        yield from _lacking(table, options, prefix, spec)
    known = _known_options(options, connector, formats, row)
    if connector.column_options is not None:
        for key, option in connector.column_options(row, options).items():
            if option.required and key not in options:
                path = key.rpartition(".")[0]
                yield TableFault(f"a sequence needs the option {key!r}", f"add '{path}.start' and '{path}.end'")
    for key, value in options.items():
        if key not in known:
            continue
        option = known[key]
        if option.effect is Effect.REFUSED:
            message = f"option {key!r} of table {table} is not supported: {option.why}"
            yield TableFault(message, "leave the option out", key, supported=False, foreign=True)
        else:
            remedy = option.unfit(key, value)
            if remedy is not None:
                yield TableFault(f"invalid value {value!r} for the option {key!r} of table {table}", remedy, key)
    for prefix, spec in zip(prefixes, formats.values(), strict=True):
        yield from _contradictions(options, prefix, spec)


def _lacking(table: str, options: Mapping[str, str], prefix: str, spec: FormatSpec) -> Iterator[TableFault]:
    for name, option in spec.options.items():
        if option.required and not any(prefix + key in options for key in (name, *option.fallbacks)):
            message = f"table {table} lacks the option {prefix + name!r}, which format {spec.name!r} requires"
            yield TableFault(message, f"add '{prefix + name}' = '...'")


def _only_read(table: str, options: Mapping[str, str], formats: Mapping[str, FormatSpec]) -> Iterator[TableFault]:
    """Format options that a table cannot be written with."""
    for slot, spec in formats.items():
        for key in (FormatSlot.prefix(slot, spec.name) + name for name in spec.only_read):
            if options.get(key, "").lower() == "true":
                message = f"table {table} is written, which cannot be with '{key}' = '{options[key]}'"
                yield TableFault(message, "leave the option out, or declare another table to write to", key)


def _contradictions(options: Mapping[str, str], prefix: str, spec: FormatSpec) -> Iterator[TableFault]:
    """Contradictory options of a format."""
    for pair in spec.not_both:
        both = [prefix + name for name in pair]
        if all(options.get(key, "").strip().lower() == "true" for key in both):
            yield TableFault(f"{both[0]} and {both[1]} cannot both be true", "set one to 'false'", both[1])
    if spec.contradiction is not None:
        own = {key.removeprefix(prefix): value for key, value in options.items() if key.startswith(prefix)}
        contradiction = spec.contradiction(own)
        if contradiction is not None:
            yield TableFault(contradiction[1], contradiction[2], prefix + contradiction[0])


def _partition_faults(columns: RowType, keys: Collection[str]) -> Iterator[TableFault]:
    """Partition columns that do not exist, or whose type a folder name cannot hold."""
    for key in keys:
        column = columns.field_named(key)
        if column is None:
            yield TableFault(f"partition column {key!r} is not a column", f"columns are: {', '.join(columns.names)}")
        elif not isinstance(column.type, FOLDER_TYPES):
            message = f"partition column {key!r} of type {column.type} cannot be read from the name of a folder"
            yield TableFault(message, "make it a STRING, BOOLEAN, number, DATE or TIMESTAMP")


def _choices(name: str, known: Mapping[str, object]) -> str:
    near = get_close_matches(name, known, n=1)
    choices = sorted(key for key in known if not key.startswith("fields."))
    listed = f"one of: {', '.join(choices[:12])}{', ...' if len(choices) > 12 else ''}"
    return f"did you mean {near[0]!r}? {listed}" if near else listed
