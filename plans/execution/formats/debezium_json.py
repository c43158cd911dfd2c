"""The format `debezium-json`, and `ogg-json`: an event a line, with the row before and the row after a change.

Source: Flink's pages "Debezium" and "Ogg", and what Flink 2.3 reads and writes.
"""

from __future__ import annotations

from compiled_plan.plans.connectors.format_spec import FormatSpec
from compiled_plan.plans.connectors.formats.debezium_json import SPEC
from compiled_plan.plans.execution.formats.base import register
from compiled_plan.plans.execution.formats.lines import LineFormat


class DebeziumJsonFormat(LineFormat):
    """Events with the row before and after a change; all kinds of rows."""

    def __init__(self, spec: FormatSpec) -> None:
        self.spec = spec


register(DebeziumJsonFormat(SPEC))
