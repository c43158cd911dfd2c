"""Node types of Flink 2.3 that the product does not run.

They are known by name: read and written without loss, their own fields preserved as JSON, and refused at execution.
"""

from __future__ import annotations

from typing import ClassVar

from pydantic import ConfigDict

from compiled_plan.plans.nodes.base import INSERTS, SOME_INPUTS, Arity, PlanNode
from compiled_plan.plans.nodes.model import value_to_json
from compiled_plan.plans.text.jsontext import Json
from compiled_plan.plans.types.changelog import ChangelogMode


class OpaqueNode(PlanNode):
    """A node whose own fields are preserved as plain JSON."""

    model_config = ConfigDict(extra="allow")
    INPUTS: ClassVar[Arity] = SOME_INPUTS
    RUNNABLE: ClassVar[bool] = False

    def sends(self, received: ChangelogMode) -> ChangelogMode:
        return INSERTS

    @property
    def shaping_fields(self) -> frozenset[str]:
        """All own fields: any of them may shape the state."""
        return frozenset(self.__pydantic_extra__ or ())

    def to_dict(self) -> dict[str, Json]:
        entries = super().to_dict()
        own = {name: value_to_json(value) for name, value in (self.__pydantic_extra__ or {}).items()}
        tail = {name: entries.pop(name) for name in ("inputProperties", "outputType", "description") if name in entries}
        return entries | own | tail


class DeltaJoin(OpaqueNode):
    """A join that looks up both sides in their tables."""

    NAME = "stream-exec-delta-join"
    INSTEAD = "compile it with SET 'table.optimizer.delta-join.strategy' = 'NONE': a regular join gives the same rows"


class DeltaJoinV2(DeltaJoin):
    """A join of several tables that looks up all sides."""

    NAME = "stream-exec-delta-join"
    VERSION = 2


#: Node types by name, with the way to the same rows.
_OTHERS = {
    "ml-predict-table-function": "call the model in a Python function, and select that function's result",
    "vector-search-table-function": "join the tables, compute the distance of the vectors in a Python function, and "
    "keep the rows with ROW_NUMBER() OVER (PARTITION BY key ORDER BY distance) <= k",
}


def _declare(name: str, instead: str) -> type[PlanNode]:
    body: dict[str, object] = {
        "__module__": __name__,
        "__doc__": f"`stream-exec-{name}`, not run.",
        "NAME": f"stream-exec-{name}",
        "INSTEAD": instead,
    }
    return type("".join(part.title() for part in name.split("-")), (OpaqueNode,), body)


OTHERS: tuple[type[PlanNode], ...] = tuple(_declare(*entry) for entry in _OTHERS.items())
