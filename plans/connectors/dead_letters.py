"""Records that cannot be read, put aside: the option of tables that says where to. Flink has none like it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from compiled_plan.plans.connectors.registry import format_spec
from compiled_plan.plans.connectors.spec import Asked, TableOption, Use
from compiled_plan.plans.nodes.declared import TableFault
from compiled_plan.plans.options import Kind

_PATH = "dead-letter.path"
_IGNORING = "ignore-parse-errors"

OPTIONS = {
    _PATH: TableOption(
        Kind.TEXT,
        doc="A folder for records that cannot be read, which end the run without it. Not an option of Flink's.",
        uses=Use.SOURCE,
        passive=True,
    )
}


def dead_letter_path(options: Mapping[str, str]) -> str:
    """Where a table's records that cannot be read go; empty where they end the run."""
    return options.get(_PATH, "")


def faults(asked: Asked) -> Iterator[TableFault]:
    """What is wrong with the folder of a table that is read."""
    options, table = asked.options, asked.table
    folder = options.get(_PATH)
    if folder is None or not asked.reading:
        return
    if not folder.strip():
        yield TableFault(f"'{_PATH}' of table {table} is empty", "name a folder", _PATH)
    place = options.get("path")
    if place is not None and _below(folder, place):
        message = f"'{_PATH}' of table {table} is in the table's own folder, and would be read as rows"
        yield TableFault(message, "name a folder beside it", _PATH)
    for option in ("key.format", "value.format", "format"):
        spec = format_spec(options.get(option))
        if spec is not None and spec.blocks and place is not None:
            message = f"'{_PATH}' of table {table} is not for files of format {spec.name!r}, which are blocks of rows"
            yield TableFault(message, "leave it out, or use a format of lines", _PATH)
    for key, value in options.items():
        if key.endswith(f".{_IGNORING}") and value.strip().lower() == "true":
            message = f"table {table} has both '{_PATH}' and '{key}', by which no record would get there"
            yield TableFault(message, "leave one of them out", key)


def _below(folder: str, place: str) -> bool:
    """Whether a folder is another, or inside of it."""
    whole, root = (re.sub("/+", "/", text.removeprefix("file:") + "/") for text in (folder, place))
    return whole.startswith(root)
