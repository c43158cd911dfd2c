"""The format `canal-json`. Source: Flink's page "Canal"."""

from __future__ import annotations

from compiled_plan.plans.connectors.columns import changelog_json
from compiled_plan.plans.connectors.spec import Metadata
from compiled_plan.plans.connectors.table_options import TableOption, Use
from compiled_plan.plans.text.options import Kind
from compiled_plan.plans.types import INT, STRING, ArrayType, MapType, TimestampLtzType

_MOMENT = TimestampLtzType(precision=3)

SPEC = changelog_json(
    "canal-json",
    "An event of Canal a line, with the rows after a change and what it changed.",
    {
        "database": Metadata(STRING, "The database."),
        "table": Metadata(STRING, "The table."),
        "sql-type": Metadata(MapType(key=STRING, value=INT), "The columns' types in the database."),
        "pk-names": Metadata(ArrayType(element=STRING), "The primary key's columns."),
        "ingestion-timestamp": Metadata(_MOMENT, "When the connector handled the event."),
        "event-timestamp": Metadata(_MOMENT, "When the database made the change."),
    },
    options={
        "database.include": TableOption(
            Kind.TEXT, doc="Read the changes of databases of such names, a regular expression.", uses=Use.SOURCE
        ),
        "table.include": TableOption(
            Kind.TEXT, doc="Read the changes of tables of such names, a regular expression.", uses=Use.SOURCE
        ),
    },
    at_start="regular expressions",
)
