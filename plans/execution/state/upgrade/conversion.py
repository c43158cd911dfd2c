"""Conversion of operators' state: rows in the format of one program become rows in that of another."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from compiled_plan.plans.execution.spark.java import frame_of, java_class
from compiled_plan.plans.inspection.checkpoints import ProgramFiles

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from compiled_plan.plans.inspection.diff.mapping import StateMapping

_KERNEL = "org.compiledplan.kernel.state.seeding.Seeding"


@dataclass(frozen=True, slots=True)
class Conversion:
    """Converts state into the format of a program.

    Args:
        stages: the kernel's spec of each stage of the program.
        states: the formats of its operators' bytes, by uid.
    """

    stages: Sequence[Mapping[str, object]]
    states: Mapping[str, object]

    def of(self, rows: DataFrame, last: ProgramFiles, mappings: Sequence[StateMapping]) -> DataFrame:
        """The rows of the mapped operators: level, uid, key and bytes.

        Args:
            rows: the state of the operators of another program.
            last: that program.
            mappings: from its operators to those of this program.
        """
        wanted = rows.where(F.col("op").isin([mapping.source for mapping in mappings]))
        spark = rows.sparkSession
        texts = (json.dumps(list(self.stages)), json.dumps(self.states))
        described = json.dumps([mapping.to_dict() for mapping in mappings])
        kernel = java_class(spark._jvm, _KERNEL)
        return frame_of(kernel.convert(wanted._jdf, last.stages, last.state, *texts, described), spark)
