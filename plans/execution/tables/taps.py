"""Taps: rows between the operators of a run, shown on request while it continues."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

from compiled_plan.plans.execution.interfaces.connectors import KIND, ORD, PATH
from compiled_plan.plans.execution.operators.base import emitting
from compiled_plan.plans.execution.spark.arrow import values_of
from compiled_plan.plans.execution.spark.java import settings
from compiled_plan.plans.execution.stages.prepared import table_spec
from compiled_plan.plans.execution.stages.tapping import Rows, close, tapped_rows
from compiled_plan.plans.nodes.sink import Sink
from compiled_plan.plans.types import RowType

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from compiled_plan.plans.execution.stages.build import StageBuilder

#: Rows of sources are streams, which Spark reads outside of a query only without its check.
_READS_STREAMS = {"spark.sql.streaming.unsupportedOperationCheck": "false"}


class TapRequest(Protocol):
    """A request to show rows of one node, until enough are shown."""

    node: int
    """The id of the node whose rows are shown: those that it emits, or that a sink writes."""

    @property
    def left(self) -> int:
        """The number of rows that are still missing."""

    def take(self, row_type: RowType, kinds: Sequence[int], columns: Sequence[Sequence[object]]) -> None:
        """Show rows of a micro-batch: the bytes of their `RowKind`, and their columns of internal values."""

    def fail(self, fault: Exception) -> None:
        """Show why there are no rows."""


class Tap(Protocol):
    """Requests to show rows of a running query."""

    def request(self) -> TapRequest | None:
        """The open request; called once per micro-batch."""


class Tapped:
    """The rows of a request in one micro-batch. A failure ends the request, not the run.

    Args:
        request: an open request.
        builder: built the query, whose micro-batch is not computed yet.
    """

    def __init__(self, request: TapRequest, builder: StageBuilder) -> None:
        self._request, self._builder = request, builder
        self._rows: Rows | None = None
        with self._guarded():
            self._node = emitting(builder.prepared.plan, request.node)
            self._rows = tapped_rows(builder, self._node, request.left)

    @property
    def reads_written_rows(self) -> bool:
        """True if the rows are among those that the sinks write, and would be computed again."""
        return self._rows is not None and isinstance(self._node, Sink)

    def show(self, frame: DataFrame) -> None:
        """Show the rows, once the sinks have written the micro-batch."""
        if self._rows is None:
            return
        with self._guarded(), settings(frame.sparkSession, _READS_STREAMS):
            columns = table_spec(self._node).columns if isinstance(self._node, Sink) else self._node.output_type
            rows = self._rows(frame)
            order = [name for name in (ORD, PATH) if name in rows.columns]
            ordered = rows.repartition(1).sortWithinPartitions(*order) if order else rows
            names = [KIND, *(f"f{at}" for at in range(len(columns.fields)))]
            kinds, *values = ordered.select(*names).limit(self._request.left).toArrow().columns
            texts = [values_of(column, type_) for column, type_ in zip(values, columns.types, strict=True)]
            self._request.take(columns, kinds.to_pylist(), texts)

    @contextmanager
    def _guarded(self) -> Iterator[None]:
        try:
            yield
        except Exception as fault:
            close(self._builder)
            self._request.fail(fault)
