"""The format `json`: an object a line, or an array of objects, each a row.

Source: Flink's page "JSON", and what Flink 2.3 reads and writes.
"""

from __future__ import annotations

from compiled_plan.plans.connectors.formats.json import SPEC
from compiled_plan.plans.execution.formats.base import register
from compiled_plan.plans.execution.formats.lines import LineFormat


class JsonFormat(LineFormat):
    """`json`: an object a line, inserts only."""

    spec = SPEC


register(JsonFormat())
