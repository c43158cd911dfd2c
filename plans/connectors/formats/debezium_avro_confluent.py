"""The format `debezium-avro-confluent`. Source: Flink's page "Debezium"."""

from __future__ import annotations

from compiled_plan.plans.connectors.avro_schemas import schema_rule
from compiled_plan.plans.connectors.format_spec import FormatSpec
from compiled_plan.plans.connectors.schema_registry import GROUPS, OPTIONS, contradiction
from compiled_plan.plans.types.changelog import ChangelogMode

SPEC = FormatSpec(
    "debezium-avro-confluent",
    "A Debezium event per message, as an Avro record with its schema in a schema registry.",
    OPTIONS,
    reads=ChangelogMode.ALL,
    writes=ChangelogMode.ALL,
    messages=True,
    files=False,
    groups=GROUPS,
    unfit=schema_rule("debezium-avro-confluent", events=True),
    contradiction=contradiction,
    at_start="the schema registry",
)
