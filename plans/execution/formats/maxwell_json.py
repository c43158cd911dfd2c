"""The format `maxwell-json`: an event a line, read and written as `canal-json`, with other names.

Source: Flink's page "Maxwell".
"""

from __future__ import annotations

from compiled_plan.plans.connectors.formats.maxwell_json import SPEC
from compiled_plan.plans.execution.formats.base import register
from compiled_plan.plans.execution.formats.canal_json import DataOldJsonFormat

register(DataOldJsonFormat(SPEC))
