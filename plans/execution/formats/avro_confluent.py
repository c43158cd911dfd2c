"""The format `avro-confluent`, and code shared with `debezium-avro-confluent`: Avro records with schema ids.

A message is a zero byte, four bytes with the schema's id in the registry, and the record. It is read with its writer's
schema, which Avro resolves against the table's; a sink registers the table's schema. The tasks query the registry and
cache its answers.

Source: Flink's pages "Confluent Avro" and "Debezium", and what Flink 2.3 reads, writes and registers.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

from compiled_plan.plans.connectors.avro_schemas import avro_schema, debezium_row
from compiled_plan.plans.connectors.format_spec import FormatSpec
from compiled_plan.plans.connectors.formats.avro_confluent import SPEC
from compiled_plan.plans.connectors.schema_registry import OPTIONS, OWN_SUBJECT, SUBJECT, settings
from compiled_plan.plans.connectors.table_options import Values
from compiled_plan.plans.execution.formats.base import FormatTable, register
from compiled_plan.plans.execution.formats.lines import MessageFormat

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


class RegistryAvroFormat(MessageFormat):
    """Records with the ids of their schemas.

    Args:
        spec: the format.
        events: True if records are events of Debezium.
    """

    def __init__(self, spec: FormatSpec, *, events: bool) -> None:
        self.spec, self.events = spec, events

    def prepared(self, spark: SparkSession, spec: FormatTable) -> FormatTable:
        options = Values(OPTIONS, spec.options)
        row = debezium_row(spec.row) if self.events else spec.row.not_null()
        schema = options.text("schema") or json.dumps(avro_schema(row))
        settings_ = {"schema": schema, "registry": json.dumps(settings(spec.options), sort_keys=True)}
        return replace(
            spec, options=settings_ | {"subject": options.text(SUBJECT) or spec.options.get(OWN_SUBJECT, "")}
        )


register(RegistryAvroFormat(SPEC, events=False))
