"""The kernel's spec of a stage: its operators, their inputs, outputs, TTLs and parameters."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from compiled_plan.plans.execution.operators.parameters import JoinedCondition, to_dict
from compiled_plan.plans.execution.spark.java import java_class
from compiled_plan.plans.execution.stages.envelope import struct_type
from compiled_plan.plans.execution.stages.hosted import Hosted
from compiled_plan.plans.execution.stages.layout import Port, output_column
from compiled_plan.plans.execution.stages.prepared import PreparedPlan

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@dataclass(frozen=True)
class StageSpecs:
    """Writes the kernel's specs of the stages of one plan; `host` is the Spark operator that hosts them."""

    spark: SparkSession
    prepared: PreparedPlan
    hosted: Hosted
    host: str

    def stage(self, level: int) -> dict[str, object]:
        layout = self.prepared.layout
        return {
            "name": f"stage-{level}",
            "host": self.host,
            "timeMode": "event" if self.prepared.event_time else "processing",
            "operators": [self._operator(node) for node in layout.stages[level - 1]],
            "passThrough": [port.column for port in layout.passing(level)],
        }

    def _operator(self, node_id: int) -> dict[str, object]:
        operator, node = self.hosted.operators[node_id], self.prepared.plan.node(node_id)
        return {
            "uid": self.hosted.tag(node_id),
            "type": operator.parameters.TYPE,
            "ports": [
                {"column": Port(node_id, at).column, "key": list(port.key_columns), **self._late(Port(node_id, at))}
                for at, port in enumerate(operator.ports)
            ],
            "output": output_column(node_id),
            "outputSchema": struct_type(operator.output).json(),
            # The kernel numbers them by input; the plan may list them in any order.
            "ttl": [entry.ttl_ms for entry in sorted(node.ttl_entries, key=lambda entry: entry.index)],
            "timeDomain": "event" if node_id in self.prepared.layout.event_time else "processing",
            "watermarkDelay": self._held_back[node_id],
            "parameters": to_dict(operator.parameters, self._condition),
        }

    def _late(self, port: Port) -> dict[str, object]:
        """The output of the late rows of an input; empty if they are only counted."""
        late = self.hosted.late_sink(replace(port, late=True))
        return {} if late is None else {"late": {"op": late.op, "column": late.port.column, "output": late.output}}

    @cached_property
    def _held_back(self) -> dict[int, int]:
        """The delay of each operator's watermark behind the query's, in ms: as upstream operators hold rows back."""
        operators, targets = self.hosted.operators, self.prepared.layout.targets
        held_back = dict.fromkeys(operators, 0)
        # In stage order: every operator comes after its upstream operators.
        for node in (node for stage in self.prepared.layout.stages for node in stage if node in operators):
            behind = held_back[node] + operators[node].holds_back
            for port in targets[node]:
                if not port.writes and port.node in held_back:
                    held_back[port.node] = max(held_back[port.node], behind)
        return held_back

    def _condition(self, condition: JoinedCondition) -> str:
        """A condition over joined rows, compiled by Spark, in the kernel's format."""
        types = struct_type(condition.types)
        nulls = (F.lit(None).cast(field.dataType).alias(field.name) for field in types.fields)
        sample = self.spark.range(0).select(*nulls)
        column = condition.make([F.col(field.name) for field in types.fields])
        return str(
            java_class(self.spark._jvm, "org.compiledplan.kernel.host.Conditions").serialize(sample._jdf, column._jc)
        )
