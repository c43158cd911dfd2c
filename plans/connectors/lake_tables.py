"""Declarations that the connectors of table formats share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from compiled_plan.plans import types as t
from compiled_plan.plans.connectors.columns import unheld_by_spark
from compiled_plan.plans.connectors.common import passive
from compiled_plan.plans.connectors.spec import Faults
from compiled_plan.plans.connectors.table_names import is_plain
from compiled_plan.plans.connectors.table_options import OptionGroup, Use
from compiled_plan.plans.nodes.declared import TableFault
from compiled_plan.plans.text.options import Kind
from compiled_plan.plans.types.changelog import ChangelogMode

STREAMING, BATCH = "streaming", "batch"

CREATE, ADDS_COLUMNS = "sink.create-table", "mergeSchema"
#: Options of sinks.
SINK_OPTIONS = {
    CREATE: passive(
        Kind.BOOLEAN, "Create a missing table, with the columns and partitions declared here.", Use.SINK, "false"
    ),
    ADDS_COLUMNS: passive(Kind.BOOLEAN, "Add columns that the table lacks.", Use.SINK, "false"),
    "sink.max-retries": passive(
        Kind.COUNT, "Number of retries of a commit that conflicts with another writer's.", Use.SINK, "10"
    ),
}
#: What a start of a plan checks.
AT_START = "the table, its columns and their types"


def created_properties(prefix: str) -> OptionGroup:
    """The properties of a table among its options."""
    return OptionGroup(prefix, f"A property that a table gets when `{CREATE}` creates it.")


def is_name(text: str) -> bool:
    """Return True for a plain name such as `shop.orders`. Spark would read a quoted part with slashes as a path."""
    return all(is_plain(part) for part in text.split("."))


def column_faults(title: str, option: str) -> Callable[[t.RowType, Mapping[str, str]], Faults]:
    """The check of columns that a table format cannot hold.

    Args:
        title: the name of the format.
        option: the option to which faults belong.
    """

    def check(row: t.RowType, options: Mapping[str, str]) -> Faults:
        for column in row.fields:
            if unheld_by_spark(column.type):
                message = f"column {column.name!r} of type {column.type} cannot be held in a {title} table"
                yield option, message, "make it a STRING, a number or a TIMESTAMP (CAST), or leave it out"

    return check


def together(table: str, options: Mapping[str, str], *pairs: tuple[str, str]) -> Iterator[TableFault]:
    """Faults of options that exclude each other."""
    for first, second in pairs:
        if first in options and second in options:
            yield TableFault(f"table {table} has both {first!r} and {second!r}", "leave one of them out", second)


def only_in_batches(table: str, options: Mapping[str, str], names: Iterable[str], remedy: str) -> Iterator[TableFault]:
    """Faults of options that a stream has and only a batch read takes."""
    for name in names:
        if name in options:
            yield TableFault(f"the option {name!r} of table {table} applies to batch reads alone", remedy, name)


def is_true(options: Mapping[str, str], name: str) -> bool:
    """Return True if a flag is set; it is off by default."""
    return options.get(name, "").lower() == "true"


def changes_with(option: str) -> Callable[[Mapping[str, str]], ChangelogMode]:
    """The changelog mode of a source: all changes with a flag, otherwise appended rows."""
    return lambda options: ChangelogMode.ALL if is_true(options, option) else ChangelogMode.INSERT


def skipping(option: str) -> str:
    """The reason why the rows of a stream that skips changes are not those of its table."""
    return f"the table has the changes that {option!r} skips"
