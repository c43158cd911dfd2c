"""The connector `testing`: a table of a test, in place of a program's source, lookup table or sink."""

from __future__ import annotations

from compiled_plan.plans.connectors.spec import (
    Boundedness,
    ConnectorSpec,
    Guarantee,
    LookupSpec,
    SinkSpec,
    SourceSpec,
)
from compiled_plan.plans.connectors.table_options import TableOption
from compiled_plan.plans.text.options import Kind
from compiled_plan.plans.types.changelog import ChangelogMode

SPEC = ConnectorSpec(
    "testing",
    "A table of the test that runs the plan.",
    {
        "id": TableOption(Kind.TEXT, doc="The name of the table.", required=True),
        "replaces": TableOption(
            Kind.TEXT, doc="The options of the table that it replaces, as JSON.", required=True, passive=True
        ),
        "test": TableOption(Kind.TEXT, doc="The name of the test in its process.", required=True, passive=True),
        "columns": TableOption(
            Kind.TEXT, doc="The names of the physical columns, for lookups.", required=True, passive=True
        ),
    },
    source=SourceSpec(bounded=Boundedness.BY_OPTION),
    sink=SinkSpec(ChangelogMode.ALL, Guarantee.NOTHING_KEPT, as_sent=True),
    lookup=LookupSpec(),
    any_metadata=True,
    stands_for="replaces",
    in_process="is a table of a test",
    at_start="the test that replaced the table",
)
