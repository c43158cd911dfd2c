"""The connector `filesystem`: files of a format in a folder, or one file.

Source: Flink's page "FileSystem".
"""

from __future__ import annotations

from compiled_plan.plans.connectors.specs.filesystem import SPEC
from compiled_plan.plans.execution.files.sink import sink
from compiled_plan.plans.execution.files.source import source
from compiled_plan.plans.execution.interfaces.connectors import sink_connector, source_connector

source_connector(SPEC)(source)
sink_connector(SPEC)(sink)
