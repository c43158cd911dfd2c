"""The connector `inline`: a DataFrame of the program."""

from __future__ import annotations

from compiled_plan.plans.connectors.spec import Boundedness, ConnectorSpec, SourceSpec
from compiled_plan.plans.connectors.table_options import TableOption
from compiled_plan.plans.text.options import Kind

SPEC = ConnectorSpec(
    "inline",
    "A DataFrame of the program that runs the plan.",
    {"id": TableOption(Kind.TEXT, doc="The name of the data in its process.", required=True)},
    source=SourceSpec(bounded=Boundedness.BY_OPTION),
    place=("id",),
    in_process="reads a DataFrame of this program",
    at_start="the program that compiled the plan",
)
