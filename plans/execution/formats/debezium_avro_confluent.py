"""The format `debezium-avro-confluent`: an event of Debezium, as a record whose schema is in a schema registry.

Source: Flink's page "Debezium".
"""

from __future__ import annotations

from compiled_plan.plans.connectors.formats.debezium_avro_confluent import SPEC
from compiled_plan.plans.execution.formats.avro_confluent import RegistryAvroFormat
from compiled_plan.plans.execution.formats.base import register

register(RegistryAvroFormat(SPEC, events=True))
