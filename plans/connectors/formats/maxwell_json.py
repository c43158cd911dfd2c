"""The format `maxwell-json`. Source: Flink's page "Maxwell"."""

from __future__ import annotations

from compiled_plan.plans.connectors.columns import json_columns
from compiled_plan.plans.connectors.common import JSON_OPTIONS
from compiled_plan.plans.connectors.format_spec import FormatSpec
from compiled_plan.plans.connectors.spec import Metadata
from compiled_plan.plans.types import STRING, ArrayType, TimestampLtzType
from compiled_plan.plans.types.changelog import ChangelogMode

_MOMENT = TimestampLtzType(precision=3)

SPEC = FormatSpec(
    "maxwell-json",
    "An event of Maxwell a line, with the row after a change and what it changed.",
    JSON_OPTIONS,
    reads=ChangelogMode.ALL,
    writes=ChangelogMode.ALL,
    metadata={
        "database": Metadata(STRING, "The database."),
        "table": Metadata(STRING, "The table."),
        "primary-key-columns": Metadata(ArrayType(element=STRING), "The primary key's columns."),
        "ingestion-timestamp": Metadata(_MOMENT, "When the connector handled the event."),
    },
    extension="json",
    messages=True,
    unfit=json_columns("maxwell-json"),
)
