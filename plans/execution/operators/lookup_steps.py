"""Lookup joins with a table as a whole: each micro-batch is joined with the newest rows of the table.

The join is a level of its own in front of the node, which then reads the rows that belong to each of its rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import and_
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from compiled_plan.plans.execution.interfaces.connectors import KIND, ORD, PATH, open_whole_lookup
from compiled_plan.plans.execution.operators.base import Flow, Lowering
from compiled_plan.plans.execution.operators.lookup import request_of, source_of
from compiled_plan.plans.nodes.lookup import LookupJoin

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame


@dataclass(frozen=True, slots=True)
class LookupStep:
    """The table's rows for each row of a node's input, as a column of the input's DataFrame."""

    node: LookupJoin
    lowering: Lowering

    @property
    def _column(self) -> str:
        return f"l{self.node.id}"

    def compute(self, frame: DataFrame, inputs: Sequence[Column], guard: Column | None) -> DataFrame:
        """Join the frame with the table.

        Args:
            frame: the rows before the node.
            inputs: the node's input columns.
            guard: selects the rows of the node; None for all.
        """
        table, name = source_of(self.node).table, self._column
        request = request_of(self.node, Flow(F.col(KIND), F.col(ORD), F.col(PATH), tuple(inputs)), self.lowering)
        request = request if guard is None else F.when(guard, request)
        keys = {f"{name}_k{at}": F.col(f"v{key}") for at, key in enumerate(table.keys)}
        rows = open_whole_lookup(table, frame.sparkSession, self.lowering.secrets)
        row = F.struct(*rows.columns).alias(name)
        rows = rows.select(*(key.alias(at) for at, key in keys.items()), row).dropna(subset=list(keys))
        rows = rows.groupBy(*keys).agg(F.collect_list(name).alias(name))
        place = F.col(f"{name}_request")
        same = reduce(and_, (place.getField(f"k{at}") == F.col(key) for at, key in enumerate(keys)))
        # A sort-merge join ends with a call of all plans before it, and stages have none in tasks.
        joined = frame.withColumn(f"{name}_request", request).join(rows.hint("shuffle_hash"), same, "left")
        return joined.drop(f"{name}_request", *keys)

    def lowered(self) -> Lowering:
        """The lowering of the node, which reads that column."""
        return replace(self.lowering, looked_up={self.node.id: F.col(self._column)})
