"""The connector `print`. Source: Flink's page "Print"."""

from __future__ import annotations

from compiled_plan.plans.connectors.common import SINK_PARALLELISM, VERSION, flag
from compiled_plan.plans.connectors.spec import ConnectorSpec, Guarantee, SinkSpec
from compiled_plan.plans.connectors.table_options import TableOption
from compiled_plan.plans.text.options import Kind
from compiled_plan.plans.types.changelog import ChangelogMode

SPEC = ConnectorSpec(
    "print",
    "Prints one line per row to stdout, such as `+I[1, abc, null]`.",
    {
        **VERSION,
        "print-identifier": TableOption(Kind.TEXT, doc="Prefix of every line."),
        "standard-error": flag("Print to stderr."),
        "sink.parallelism": SINK_PARALLELISM,
    },
    sink=SinkSpec(ChangelogMode.ALL, Guarantee.NOTHING_KEPT, as_sent=True),
)
