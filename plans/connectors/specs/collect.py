"""The connector `collect`: a sink that returns the rows of a query to the program."""

from __future__ import annotations

from compiled_plan.plans.connectors.spec import ConnectorSpec, Guarantee, SinkSpec
from compiled_plan.plans.connectors.table_options import TableOption
from compiled_plan.plans.text.options import Kind
from compiled_plan.plans.types.changelog import ChangelogMode

SPEC = ConnectorSpec(
    "collect",
    "Returns the rows of a query to the program that runs it.",
    {
        "id": TableOption(Kind.TEXT, doc="The name of the receiver of the rows.", required=True),
        "limit": TableOption(Kind.COUNT, "0", doc="Maximum number of rows of a micro-batch; 0 for all."),
        "ordered": TableOption(Kind.BOOLEAN, "true", doc="Order the rows of a micro-batch before the limit."),
    },
    sink=SinkSpec(ChangelogMode.ALL, Guarantee.NOTHING_KEPT, as_sent=True),
    in_process="gives its rows to this program",
    at_start="the program that compiled the plan",
)
