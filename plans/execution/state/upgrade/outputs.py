"""The output of a checkpoint's generations in the tables of their sinks: its history, and the return to another one.

A marker in the generation in force tells of a return that has begun. It is written before the head that puts the
generation in force, and removed after the last table has returned; a start on a generation with a marker is refused.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from compiled_plan.plans.errors import CheckpointError
from compiled_plan.plans.execution.interfaces import connectors
from compiled_plan.plans.execution.interfaces.dead_letters import letters_of
from compiled_plan.plans.execution.interfaces.outputs import OutputHistory, Return, ReturnsOutput, SetsAside, Span
from compiled_plan.plans.execution.spark.storage import Folder
from compiled_plan.plans.execution.stages.late_rows import late_sinks
from compiled_plan.plans.execution.stages.prepared import dead_letter_table, sink_tables, table_spec
from compiled_plan.plans.execution.state.checkpoint.store import Store
from compiled_plan.plans.execution.state.checkpoint.written import read_written
from compiled_plan.plans.execution.state.upgrade.corrections import corrections_of
from compiled_plan.plans.execution.state.upgrade.targets import Point
from compiled_plan.plans.execution.state.upgrade.touched import read_back
from compiled_plan.plans.inspection.checkpoints import (
    COMMITS,
    GENERATIONS,
    OUTPUT,
    WRITTEN,
    Head,
    begin_of,
    json_in,
    recorded,
)
from compiled_plan.plans.nodes.scan import TableSourceScan
from compiled_plan.plans.nodes.sink import Sink
from compiled_plan.plans.plan import CompiledPlan
from compiled_plan.plans.secrets.values import Secrets
from compiled_plan.plans.text.visible import counted

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

#: Outcomes for a table.
RETURNED, UNCHANGED, LEFT, KEPT = "returned", "unchanged", "left", "kept"


@dataclass(frozen=True, slots=True)
class TableOutput:
    """The outcome for the table of a sink.

    Args:
        table: its identifier.
        how: one of the outcomes above.
        text: the outcome in words, with the remedy for output that stays.
        plan: performs the return.
    """

    table: str
    how: str
    text: str
    plan: Return | None = field(default=None, repr=False, compare=False)

    def to_dict(self) -> dict[str, str]:
        return {"table": self.table, "how": self.how, "text": self.text}


def history_of(store: Store, generation: int, until: int | None = None) -> OutputHistory:
    """The output of the micro-batches that led to a generation.

    Args:
        store: the checkpoint.
        generation: the generation.
        until: its last micro-batch of the history; None for all.
    """
    runs = frozenset(store.generation(number).run_id for number in store.root.numbers(GENERATIONS))
    spans: list[Span] = []
    for number, origin in store.lineage(generation):
        spans.append(Span(store.generation(number).run_id, begin_of(origin), until))
        until = None if origin is None else origin.end
    return OutputHistory(tuple(reversed(spans)), runs)


@dataclass(frozen=True, slots=True)
class Later:
    """The micro-batches from a point to the end of a later generation.

    Args:
        batches: their number.
        rows: the rows that sinks have received in them, by table; None if an earlier release did not record them.
    """

    batches: int
    rows: Mapping[str, int] | None


def later_than(store: Store, point: Point, generation: int) -> Later:
    """The micro-batches after a point, up to the end of a later generation."""
    rows, batches, known = Counter[str](), 0, True
    for number, origin in store.lineage(generation):
        folder = store.generation(number).folder
        first = point.batch if number == point.generation else max(begin_of(origin), 0)
        batches += max(folder.last(COMMITS) - first, 0)
        rows.update(read_written(folder).rows or {})
        rows.subtract(read_written(folder, first).rows or {})
        known = known and (folder.holds(recorded(first, WRITTEN)) or first == 0)
        if number == point.generation:
            break
        rows.update(_corrected(folder))
    return Later(batches, rows if known else None)


def astray(store: Store, generation: int) -> frozenset[str]:
    """The tables that have got rows from micro-batches which did not lead to a generation, and no correction since.

    A rollback, or a rewind of a table that does not return, leaves such rows. Those of removed generations are not
    known.
    """
    runs = {store.generation(number).run_id: number for number in store.root.numbers(GENERATIONS)}
    ends = {runs[span.run]: span.last for span in history_of(store, generation).spans}
    corrected = {
        correction.table: number
        for number in sorted(ends)
        for correction in corrections_of(store.generation(number).folder)
        if correction.sent
    }
    return frozenset(
        table
        for number in runs.values()
        for table in (_written_after(store, number, ends[number]) if number in ends else _written(store, number))
        if corrected.get(table, -1) <= number
    )


def _written(store: Store, generation: int) -> Iterator[str]:
    """The tables that got rows from a generation."""
    yield from _written_after(store, generation, begin_of(store.origin(generation)))
    yield from (table for table, rows in _corrected(store.generation(generation).folder).items() if rows)


def _written_after(store: Store, generation: int, batch: int | None) -> Iterator[str]:
    """The tables that got rows after a micro-batch of a generation; None for its last one."""
    if batch is None:
        return
    folder = store.generation(generation).folder
    rows = Counter(read_written(folder).rows or {})
    rows.subtract(read_written(folder, batch).rows or {} if batch >= 0 else {})
    yield from (+rows)


def _corrected(generation: Folder) -> dict[str, int]:
    """The rows by table that corrections have sent at the begin of a generation."""
    return {correction.table: correction.rows for correction in corrections_of(generation) if correction.sent}


def planned_outputs(
    spark: SparkSession, store: Store, history: OutputHistory, rows: Mapping[str, int] | None, *, keep: bool
) -> tuple[TableOutput, ...]:
    """The outcome for each table that programs of the checkpoint write, before anything changes.

    Args:
        spark: the session.
        store: the checkpoint.
        history: the output that tables are to have.
        rows: the rows by table that sinks have received beyond; None if they are unknown.
        keep: True to leave all output.

    Raises:
        CheckpointError: a table cannot return.
    """
    outputs = []
    for table, sink in _open_sinks(spark, store):
        name = table.identifier
        count = "rows" if rows is None else counted(rows.get(name, 0), "row")
        if keep:
            outputs.append(TableOutput(name, KEPT, f"{count} kept, as --keep-output says"))
        elif not isinstance(sink, ReturnsOutput):
            has_none = rows is not None and not rows.get(name)
            text = "has no later output" if has_none else _left(table, count)
            outputs.append(TableOutput(name, UNCHANGED if has_none else LEFT, text))
        elif (plan := sink.returned(history)) is not None:
            outputs.append(TableOutput(name, RETURNED, plan.text, plan))
        else:
            outputs.append(TableOutput(name, UNCHANGED, "has no later output"))
    return tuple(outputs)


def _left(table: connectors.TableSpec, rows: str) -> str:
    problem = f"{rows} left: {table.options.get('connector', '')} does not take output back"
    if table.primary_key and read_back(table):
        return f"{problem}; the start of a plan with --upgrade correct does"
    if table.primary_key:
        return f"{problem}; rows whose keys change again are replaced: restore the others from a backup"
    return f"{problem}; rows that come again are duplicates: remove them"


def mark_return(generation: Folder, command: str) -> None:
    """Record that tables are about to return; see the module."""
    generation.write_text(OUTPUT, json.dumps({"command": command}))


def complete_return(generation: Folder, outputs: Sequence[TableOutput]) -> None:
    """Return the tables, and remove the marker."""
    for output in outputs:
        if output.plan is not None:
            output.plan.apply()
    generation.remove(OUTPUT)


def pending_return(generation: Folder) -> str | None:
    """The command whose return of the tables is not complete; None if there is none."""
    text = generation.read_text(OUTPUT)
    return None if text is None else str((json_in(text, dict) or {}).get("command", "--rewind-to"))


def check_returned(generation: Folder, where: str) -> None:
    """Refuse a generation for which tables have not returned yet.

    Raises:
        CheckpointError: names the command that completes it.
    """
    command = pending_return(generation)
    if command is not None:
        raise CheckpointError(
            f"the command {command} was interrupted before all tables had returned to the output of this generation",
            where=where,
            remedy=f"repeat it: `execute-plan {command} --checkpoint DIR`",
        )


def discard_set_aside(spark: SparkSession, store: Store, generations: Sequence[int]) -> None:
    """Remove output of generations that was set aside: they are about to be removed."""
    if not any("before" in store.facts(number) for number in store.root.numbers(GENERATIONS)):
        return
    runs = frozenset(store.generation(number).run_id for number in generations)
    for _, sink in _open_sinks(spark, store):
        if isinstance(sink, SetsAside):
            sink.discard(runs)


def _open_sinks(spark: SparkSession, store: Store) -> Iterator[tuple[connectors.TableSpec, connectors.RowSink]]:
    """The sinks of all programs that have run on generations that exist, once for each table and options."""
    context = connectors.SinkContext(spark, "", print, writes=False, secrets=Secrets(lenient=True))
    seen: set[tuple[object, ...]] = set()
    for table in _tables(store):
        place = (table.identifier, table.sink, *sorted(table.options.items()))
        if place not in seen:
            seen.add(place)
            yield table, connectors.open_sink(table, context)


def _tables(store: Store) -> Iterator[connectors.TableSpec]:
    for head in reversed(_last_heads(store)):
        plan = CompiledPlan.from_json(store.program(head).plan)
        sinks = [node for node in plan.sinks if isinstance(node, Sink)]
        yield from sink_tables([*sinks, *(late.sink for late in late_sinks(plan))]).values()
        for scan in plan.nodes:
            if isinstance(scan, TableSourceScan):
                letters = letters_of(replace(table_spec(scan), dead_letters=dead_letter_table(scan)))
                if letters is not None:
                    yield letters


def _last_heads(store: Store) -> list[Head]:
    """The last head of each program in a generation that exists."""
    present = set(store.root.numbers(GENERATIONS))
    heads: dict[tuple[int, int], Head] = {}
    for head in store.heads():
        if head.generation in present:
            heads.pop((head.generation, head.program), None)
            heads[head.generation, head.program] = head
    return list(heads.values())
