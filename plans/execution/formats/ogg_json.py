"""The format `ogg-json`: an event of Oracle GoldenGate a line, read and written as `debezium-json`, with other names.

Source: Flink's page "Ogg".
"""

from __future__ import annotations

from compiled_plan.plans.connectors.formats.ogg_json import SPEC
from compiled_plan.plans.execution.formats.base import register
from compiled_plan.plans.execution.formats.debezium_json import DebeziumJsonFormat

register(DebeziumJsonFormat(SPEC))
