"""The format `ogg-json`. Source: Flink's page "Ogg"."""

from __future__ import annotations

from compiled_plan.plans.connectors.columns import json_columns
from compiled_plan.plans.connectors.common import JSON_OPTIONS
from compiled_plan.plans.connectors.format_spec import FormatSpec
from compiled_plan.plans.connectors.spec import Metadata
from compiled_plan.plans.types import STRING, ArrayType, TimestampLtzType
from compiled_plan.plans.types.changelog import ChangelogMode

_MOMENT = TimestampLtzType(precision=6)

SPEC = FormatSpec(
    "ogg-json",
    "An event of Oracle GoldenGate a line, with the row before and the row after a change.",
    JSON_OPTIONS,
    reads=ChangelogMode.ALL,
    writes=ChangelogMode.ALL,
    metadata={
        "table": Metadata(STRING, "The table, with its schema."),
        "primary-keys": Metadata(ArrayType(element=STRING), "The primary key's columns."),
        "ingestion-timestamp": Metadata(_MOMENT, "When the connector handled the event."),
        "event-timestamp": Metadata(_MOMENT, "When the database made the change."),
    },
    extension="json",
    messages=True,
    unfit=json_columns("ogg-json"),
)
