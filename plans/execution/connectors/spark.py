"""The connector `spark`: any data source that Spark loads by its name."""

from __future__ import annotations

from compiled_plan.plans.connectors.specs.spark import SPEC
from compiled_plan.plans.execution.interfaces.connectors import sink_connector, source_connector
from compiled_plan.plans.execution.providers.sink import write
from compiled_plan.plans.execution.providers.source import read

source_connector(SPEC)(read)
sink_connector(SPEC)(write)
