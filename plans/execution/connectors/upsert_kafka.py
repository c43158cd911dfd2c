"""The connector `upsert-kafka`: the newest message of each key; one without a value deletes."""

from __future__ import annotations

from compiled_plan.plans.connectors.messages import parts
from compiled_plan.plans.connectors.specs.upsert_kafka import SPEC
from compiled_plan.plans.execution.connectors.kafka import register

register(SPEC, lambda table: parts(table.columns, table.options, table.primary_key), upserts=True)
