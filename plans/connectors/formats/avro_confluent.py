"""The format `avro-confluent`. Source: Flink's page "Confluent Avro"."""

from __future__ import annotations

from compiled_plan.plans.connectors.avro_schemas import schema_rule
from compiled_plan.plans.connectors.format_spec import FormatSpec
from compiled_plan.plans.connectors.schema_registry import GROUPS, OPTIONS, contradiction

SPEC = FormatSpec(
    "avro-confluent",
    "An Avro record per message, with its schema in a schema registry.",
    OPTIONS,
    messages=True,
    files=False,
    groups=GROUPS,
    unfit=schema_rule("avro-confluent"),
    contradiction=contradiction,
    at_start="the schema registry",
)
