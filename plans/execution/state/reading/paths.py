"""The way to a row of a sink: the state of each operator upstream for a key of the sink."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import reduce
from operator import and_, or_
from typing import TYPE_CHECKING

from pyspark.sql import functions as F
from pyspark.sql.types import StructType

from compiled_plan.plans.errors import CheckpointError
from compiled_plan.plans.execution.state.checkpoint.offsets import entry_of
from compiled_plan.plans.execution.state.reading.content import key_states
from compiled_plan.plans.execution.state.reading.entries import entries_of
from compiled_plan.plans.execution.state.reading.keys import literal_of, wanted_key
from compiled_plan.plans.execution.state.reading.model import KeyState, PathReport, PathStep
from compiled_plan.plans.execution.state.reading.reader import StateReader, StoredOperator
from compiled_plan.plans.findings import did_you_mean
from compiled_plan.plans.inspection.tracing import sink_columns, traced
from compiled_plan.plans.nodes.sink import Sink
from compiled_plan.plans.types import parse_type

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

#: The number of entries that a search reports.
_MOST_ENTRIES = 20
#: Columns of an entry that are reported beside its rows.
_ABOUT = ("key_text", "last_write", "expires")


def path_report(reader: StateReader, table: str, wanted: Mapping[str, str]) -> PathReport:
    """The state of all operators upstream of a sink for one of its keys, all at one micro-batch.

    Args:
        reader: the reader of the checkpoint.
        table: the sink's table: its name, or its identifier.
        wanted: texts of values by the names of the sink's columns.

    Raises:
        CheckpointError: there is no such sink or column, or a text is no value of its type.
    """
    sink = _sink(reader, table)
    _check_columns(reader, sink, wanted)
    inputs = traced(reader.plan, sink, list(wanted))
    operators = {operator.node: operator for operator in reader.operators.values()}
    batch, steps = reader.at_rest(
        lambda rows: tuple(
            _step(reader, operators[node], _columns(reader, node, columns), wanted, rows)
            for node, columns in inputs.items()
            if node in operators
        )
    )
    watermark = 0 if batch is None else entry_of(reader.generation, batch).watermark
    return PathReport(reader.uri, reader.number, batch, watermark or None, table_name(sink), steps)


def _sink(reader: StateReader, table: str) -> Sink:
    """The sink of a table, named by the last parts of its path."""
    sinks = {table_name(sink): sink for sink in reader.plan.sinks if isinstance(sink, Sink)}
    matching = [name for name in sinks if f".{name}".endswith(f".{table}")]
    if len(matching) == 1:
        return sinks[matching[0]]
    if matching:
        raise CheckpointError(
            f"the plan in the checkpoint writes {len(matching)} tables {table}",
            where=reader.root.shown,
            remedy=f"name one of them: {', '.join(matching)}",
        )
    raise CheckpointError(
        f"the plan in the checkpoint writes no table {table}",
        where=reader.root.shown,
        remedy=did_you_mean(table, [name.rpartition(".")[2] for name in sinks], f"it writes {', '.join(sinks)}"),
    )


def table_name(sink: Sink) -> str:
    """The path of a sink's table: catalog, database and name."""
    return ".".join(sink.dynamic_table_sink.table.path)


def _check_columns(reader: StateReader, sink: Sink, wanted: Mapping[str, str]) -> None:
    names = sink_columns(sink)
    for name in wanted:
        if name not in names:
            remedy = did_you_mean(name, list(names), f"it has {', '.join(names)}")
            raise CheckpointError(
                f"table {table_name(sink)} has no column {name}", where=reader.root.shown, remedy=remedy
            )


def _columns(reader: StateReader, node: int, columns: Sequence[Mapping[str, int]]) -> tuple[dict[str, str], ...]:
    """The traced columns of each input, by name."""
    sources = reader.plan.inputs(reader.plan.node(node))
    return tuple(
        {name: source.output_type.names[at] for name, at in by_sink.items()}
        for source, by_sink in zip(sources, columns, strict=True)
    )


def _step(
    reader: StateReader,
    operator: StoredOperator,
    columns: tuple[dict[str, str], ...],
    wanted: Mapping[str, str],
    rows: DataFrame | None,
) -> PathStep:
    texts = [{name: wanted[of_sink] for of_sink, name in by_sink.items()} for by_sink in columns]
    leading = max((_leading(operator, at, values) for at, values in enumerate(texts)), key=len, default={})
    keys: tuple[KeyState, ...] = ()
    entries: tuple[str, ...] = ()
    count = 0
    if leading:
        keys = key_states(reader, operator, wanted_key(operator, leading), rows)
        count = len(keys)
    elif rows is not None and any(texts):
        entries, count = _searched(reader, operator, texts, rows)
    return PathStep(operator.uid, operator.words, operator.kind, columns, bool(leading), keys, entries, count)


def _leading(operator: StoredOperator, at: int, values: Mapping[str, str]) -> dict[str, str]:
    """The leading columns of an input's key that have values."""
    leading: dict[str, str] = {}
    for column in operator.state["keys"][at] if at < len(operator.state["keys"]) else ():
        name = operator.column(column["input"], column["column"])["name"]
        if name not in values:
            break
        leading[name] = values[name]
    return leading


def _searched(
    reader: StateReader, operator: StoredOperator, texts: Sequence[Mapping[str, str]], rows: DataFrame
) -> tuple[tuple[str, ...], int]:
    """The entries whose rows have the values, as JSON, and their number."""
    frame = entries_of(reader, operator, rows)
    rows_with = {
        name: condition
        for values, described in zip(texts, operator.state["columns"], strict=False)
        if values
        for name, condition in _conditions(frame, values, {column["name"]: column["type"] for column in described})
    }
    if not rows_with:
        return (), 0
    matching = frame.where(reduce(or_, rows_with.values()))
    columns = [name for name in (*_ABOUT, *rows_with) if name in frame.columns]
    shown = matching.select(F.to_json(F.struct(*columns)).alias("entry")).limit(_MOST_ENTRIES).collect()
    return tuple(row.entry for row in shown), matching.count()


def _conditions(frame: DataFrame, values: Mapping[str, str], types: Mapping[str, str]) -> Iterator[tuple[str, Column]]:
    """For each row that an entry may hold, its column, and the condition that it has the values."""
    literals = {name: literal_of(text, name, parse_type(types[name])) for name, text in values.items()}
    for field in frame.schema.fields:
        if isinstance(field.dataType, StructType) and set(values) <= set(field.dataType.names):
            row = F.col(field.name)
            equal = (row.getField(name).eqNullSafe(literal) for name, literal in literals.items())
            yield field.name, reduce(and_, equal, row.isNotNull())
