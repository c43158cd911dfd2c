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
    "A Canal event per line or message, with the rows after a change and the replaced values.",
    {
        "database": Metadata(STRING, "The database."),
        "table": Metadata(STRING, "The table."),
        "sql-type": Metadata(MapType(key=STRING, value=INT), "The columns' types in the database."),
        "pk-names": Metadata(ArrayType(element=STRING), "The primary key's columns."),
        "ingestion-timestamp": Metadata(_MOMENT, "Time at which the connector processed the event."),
        "event-timestamp": Metadata(_MOMENT, "Time of the change in the database."),
    },
    options={
        "database.include": TableOption(
            Kind.TEXT, doc="Regular expression of the databases whose changes are read.", uses=Use.SOURCE
        ),
        "table.include": TableOption(
            Kind.TEXT, doc="Regular expression of the tables whose changes are read.", uses=Use.SOURCE
        ),
    },
    at_start="regular expressions",
)
