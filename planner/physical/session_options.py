"""Options of the session that nodes of a plan keep, beside those that Flink writes there.

Flink takes these from the session that runs a plan. Its nodes read their own `configuration` first, so that a plan that
says them means in Flink what it means here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from compiled_plan.planner.physical.draft import Draft
from compiled_plan.planner.settings import Settings
from compiled_plan.plans.errors import UnsupportedError
from compiled_plan.plans.nodes.base import TTL, PlanNode
from compiled_plan.plans.nodes.sink import Sink
from compiled_plan.plans.nodes.stateless import IDLE_TIMEOUT, WatermarkAssigner
from compiled_plan.plans.plan.session_options import ZONE, reads_zone, with_option


@dataclass(frozen=True, slots=True)
class Kept:
    """An option, and which nodes keep it where it is not the default."""

    key: str
    of: Callable[[PlanNode], bool]


KEPT: tuple[Kept, ...] = (
    Kept(ZONE, reads_zone),
    Kept(IDLE_TIMEOUT, lambda node: isinstance(node, WatermarkAssigner)),
    Kept(TTL, lambda node: node.forgets_idle_keys),
    Kept("table.exec.sink.nested-constraint-enforcer", lambda node: isinstance(node, Sink)),
)


@dataclass(frozen=True, slots=True)
class Refused:
    """A value of an option (empty: any but the default) that changes results in a way that is not supported."""

    key: str
    value: str
    what: str
    remedy: str


REFUSED: tuple[Refused, ...] = (
    Refused(
        "table.exec.legacy-cast-behaviour",
        "ENABLED",
        "the legacy behaviour of CAST",
        "leave it out, and write TRY_CAST where a failing cast is to give NULL",
    ),
    Refused("execution.runtime-mode", "BATCH", "a plan in batch mode", "leave it out: plans are those of streaming"),
    Refused("table.column-expansion-strategy", "", "a star that leaves metadata columns out", "name the columns"),
    Refused("table.legacy-nested-row-nullability", "TRUE", "nullability of rows as in older versions", "leave it out"),
    Refused("table.sql-dialect", "", "another dialect than Flink's", "write the program in Flink's SQL"),
)


def check_options(draft: Draft) -> Draft:
    """Refuse options under which the plan would not mean what the program says.

    Raises:
        UnsupportedError: names option and value.
    """
    for item in REFUSED:
        found = draft.settings.text(item.key)
        value = found.strip().upper()
        if value and (value == item.value or (not item.value and value != draft.settings.default(item.key).upper())):
            raise UnsupportedError(
                f"{item.what} is not supported", where=f"SET '{item.key}' = '{found}'", remedy=item.remedy
            )
    return draft


def keeping(node: PlanNode, settings: Settings) -> PlanNode:
    """The node with the options of the session that it depends on."""
    for item in KEPT:
        if settings.is_set(item.key) and item.of(node):
            node = with_option(node, item.key, settings.text(item.key))
    return node
