"""The connector `blackhole`. Source: Flink's page "BlackHole"."""

from __future__ import annotations

from compiled_plan.plans.connectors.common import VERSION
from compiled_plan.plans.connectors.spec import ConnectorSpec, Guarantee, SinkSpec
from compiled_plan.plans.types.changelog import ChangelogMode

SPEC = ConnectorSpec(
    "blackhole",
    "Computes all rows and discards them.",
    VERSION,
    sink=SinkSpec(ChangelogMode.UPSERT, Guarantee.NOTHING_KEPT, as_sent=True),
)
