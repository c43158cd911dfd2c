"""Dead letters: the table options that send unreadable records elsewhere. Flink has no such options."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from compiled_plan.plans import types as t
from compiled_plan.plans.connectors.common import passive
from compiled_plan.plans.connectors.format_spec import FormatSpec
from compiled_plan.plans.connectors.registry import format_spec
from compiled_plan.plans.connectors.spec import ConnectorSpec, TableUse
from compiled_plan.plans.connectors.table_options import Use
from compiled_plan.plans.nodes.declared import TableFault
from compiled_plan.plans.text.hadoop_paths import at_rest
from compiled_plan.plans.text.options import Kind

_PATH, TABLE = "dead-letter.path", "dead-letter.table"
_IGNORING = "ignore-parse-errors"

OPTIONS = {
    _PATH: passive(
        Kind.PATH,
        "Folder for unreadable records (dead letters), which otherwise fail the run. Not an option of Flink.",
        Use.SOURCE,
    ),
    TABLE: passive(Kind.TEXT, "Table of the program for such records. Not an option of Flink.", Use.SOURCE),
}

_PART = re.compile(r"`((?:[^`]|``)*)`|([^.`]+)")

#: The columns that a dead-letter table may have.
COLUMNS = t.row_of(
    ["table", "file", "line", "topic", "partition", "offset", "part", "reason", "raw", "bytes"],
    [t.STRING, t.STRING, t.BIGINT, t.STRING, t.INT, t.BIGINT, t.STRING, t.STRING, t.STRING, t.BYTES],
)


def puts_aside(options: Mapping[str, str]) -> bool:
    """Return True if a table stores its unreadable records as dead letters; otherwise they fail the run."""
    return bool(options.get(_PATH) or options.get(TABLE))


def unreadable_remedy(connector: ConnectorSpec, format_: FormatSpec, prefix: str) -> str:
    """Remedy for an unreadable record that failed the run: the options that let a run continue.

    `prefix` is the prefix of the format's options in the table, such as `value.json.`.
    """
    ways = []
    if _IGNORING in format_.options:
        ways.append(f"'{prefix}{_IGNORING}' = 'true' to pass over it (a field that cannot be read becomes NULL)")
    if _PATH in connector.options:
        ways.append(f"'{_PATH}' = 'FOLDER', which is no option of Flink's, to put it aside")
    return (
        "correct or remove the record, or set in the table's options " + ", or ".join(ways)
        if ways
        else "correct or remove the record"
    )


def dead_letter_path(options: Mapping[str, str]) -> str:
    """The dead-letter folder of a table; empty if it has none."""
    return options.get(_PATH, "")


def dead_letter_table(options: Mapping[str, str]) -> str:
    """The name of the dead-letter table of a table, as written; empty if it has none."""
    return options.get(TABLE, "")


def name_parts(text: str) -> tuple[str, ...]:
    """The parts of a table name such as `db.t`; a part with dots is written in backticks."""
    return tuple((match[1] or match[2]).replace("``", "`").strip() for match in _PART.finditer(text))


def column_faults(table: str, columns: t.RowType, others: Sequence[str] = ()) -> Iterator[TableFault]:
    """Faults that prevent a table from taking dead letters; `others` names its written metadata columns."""
    reason = f"table {table} takes dead letters"
    known = ", ".join(f"{field.name} {field.type}" for field in COLUMNS.fields)
    for field in columns.fields:
        column = COLUMNS.field_named(field.name)
        if column is None:
            yield TableFault(f"{reason}, and they have no {field.name!r}", f"they have: {known}")
        elif column.type != field.type:
            message = f"{reason}, and column {field.name!r} is {field.type} where they have {column.type}"
            yield TableFault(message, f"declare it {column.type}")
    for name in others:
        message = f"{reason}, and they have no metadata for column {name!r}"
        yield TableFault(message, "leave it out, or make it VIRTUAL")


def faults(use: TableUse) -> Iterator[TableFault]:
    """Faults of the dead-letter options of a table."""
    options, table = use.options, use.table
    folder, place = options.get(_PATH), options.get("path")
    present = [name for name in OPTIONS if name in options]
    if not present or not use.reading:
        return
    if len(present) > 1:
        yield TableFault(f"table {table} has both '{_PATH}' and '{TABLE}'", "leave one of them out", TABLE)
    for name in present:
        if not options[name].strip():
            kind = "folder" if name == _PATH else "table"
            yield TableFault(f"'{name}' of table {table} is empty", f"name a {kind}", name)
    if folder is not None and place is not None and _below(folder, place):
        message = f"'{_PATH}' of table {table} is in the table's own folder, and would be read as rows"
        yield TableFault(message, "name a folder beside it", _PATH)
    for option in ("key.format", "value.format", "format"):
        spec = format_spec(options.get(option))
        if spec is not None and spec.blocks and place is not None:
            message = (
                f"'{present[0]}' of table {table} is not for files of format {spec.name!r}, which are blocks of rows"
            )
            yield TableFault(message, "leave it out, or use a format of lines", present[0])
    for key, value in options.items():
        if key.endswith(f".{_IGNORING}") and value.strip().lower() == "true":
            message = f"table {table} has both '{present[0]}' and '{key}', by which no record would get there"
            yield TableFault(message, "leave one of them out", key)


def _below(folder: str, place: str) -> bool:
    """Return True if a folder is `place` or below it."""
    whole, root = (f"{at_rest(text).rstrip('/')}/" for text in (folder, place))
    return whole.startswith(root)
