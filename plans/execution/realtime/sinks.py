"""All sinks of a plan behind one writer of the kernel: the columns of each, from the rows for all of them.

Spark computes, as in micro-batches, a struct of each sink's output (a line, a message, the columns of a table); the
kernel's `SinkWriter` passes each struct to its sink.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from compiled_plan.plans.errors import UnsupportedError
from compiled_plan.plans.execution.connectors.blackhole import BlackHole
from compiled_plan.plans.execution.connectors.message_sink import MessageSink
from compiled_plan.plans.execution.connectors.print import Printer
from compiled_plan.plans.execution.databases.sink import DatabaseSink
from compiled_plan.plans.execution.files.sink import STAGING, FileSink
from compiled_plan.plans.execution.interfaces.connectors import INSERT, KIND, RowSink
from compiled_plan.plans.execution.realtime.inbox import Inbox
from compiled_plan.plans.execution.stages.enforcer import enforced
from compiled_plan.plans.execution.stages.envelope import OP
from compiled_plan.plans.execution.stages.layout import Port

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

    from compiled_plan.plans.execution.stages.build import StageBuilder
    from compiled_plan.plans.nodes.sink import Sink as SinkNode

_EVERY_KIND = "every_kind"
_TICK_NUMBER = -1


@dataclass(frozen=True, slots=True)
class Target:
    """A sink in the kernel's writer.

    Args:
        type: the kind of sink, see the kernel's `RowSinks`.
        spec: the kernel's parameters of the sink.
        columns: the sink's columns, from each row.
    """

    type: str
    spec: Mapping[str, object]
    columns: Sequence[Column]


def printers(sinks: Sequence[RowSink]) -> dict[int, Callable[[str], None]]:
    """The sinks that print, by number."""
    return {at: sink.show for at, sink in enumerate(sinks) if isinstance(sink, Printer)}


def rows_and_description(
    builder: StageBuilder, rows: DataFrame, nodes: Sequence[SinkNode], sinks: Sequence[RowSink], inbox: Inbox | None
) -> tuple[DataFrame, str]:
    """The input of the kernel's `SinkWriter`: the rows, and the parameters of the sinks as JSON.

    Args:
        builder: the builder of the rows.
        rows: the final envelope.
        nodes: the sinks of the plan.
        sinks: the opened sinks, in the same order.
        inbox: receives printed lines; None if no sink prints.

    Raises:
        UnsupportedError: a sink that does not accept single rows.
    """
    frame, descriptions = rows.withColumnRenamed(KIND, _EVERY_KIND), list[dict[str, object]]()
    number = F.lit(_TICK_NUMBER)
    for at, (node, sink) in enumerate(zip(nodes, sinks, strict=True)):
        is_own = builder.envelope.holds(Port(node.id, 0, writes=True)) if OP in frame.columns else F.lit(True)
        allowed = enforced(node, builder.envelope.fields(Port(node.id, 0, writes=True)), is_own)
        frame = (frame if allowed.condition is None else frame.where(allowed.condition)).withColumns(
            {
                KIND: F.when(is_own, F.col(_EVERY_KIND)).otherwise(F.lit(INSERT).cast("tinyint")),
                **{f"f{index}": column for index, column in enumerate(allowed.columns)},
            }
        )
        target = _target(at, sink, inbox)
        descriptions.append({"type": target.type, **target.spec})
        written = F.when(is_own, F.struct(*target.columns)).alias(f"w{at}")
        others = [name for name in frame.columns if name != KIND and not _is_field(name)]
        frame = frame.select(*others, written)
        number = F.when(is_own, F.lit(at)).otherwise(number)
    written_columns = [f"w{at}" for at in range(len(sinks))]
    frame = frame.select(number.alias("sink"), *written_columns)
    ticked = bool(builder.envelope.tick)
    return frame, json.dumps({"ticked": ticked, "sinks": descriptions})


def _is_field(name: str) -> bool:
    return name.startswith("f") and name[1:].isdecimal()


def _target(number: int, sink: RowSink, inbox: Inbox | None) -> Target:
    match sink:
        case BlackHole():
            return Target("blackhole", {}, [F.lit(None).cast("string").alias("nothing")])
        case Printer():
            assert inbox is not None
            return Target("lines", inbox.description(number), [sink.line().alias("line")])
        case MessageSink():
            # Send messages at once instead of batching requests, unless the table says otherwise.
            return Target("kafka", sink.described(**{"linger.ms": "0"}), [*sink.parts(), *sink.fixed_partition()])
        case DatabaseSink():
            return Target("jdbc", sink.description(), sink.columns())
        case FileSink():
            spec = {"folder": sink.root(), "staging": STAGING, "run": sink.context.run_id, "mark": sink.mark}
            return Target("files", {**spec, "ending": sink.format.spec.extension}, [sink.line().alias("line")])
    raise UnsupportedError(f"real-time mode: {type(sink).__name__} does not accept single rows")
