"""Nodes of plans of a newer Flink that this release cannot read: unknown types, versions and fields.

Such a plan can be shown, edited, compared and drawn; Flink 2.3 and this product refuse to run it.
"""

from __future__ import annotations

from typing import ClassVar, Self

from pydantic import PrivateAttr, ValidationError

from compiled_plan.plans.findings import Fault, Finding
from compiled_plan.plans.nodes.base import PREFIX, TTL, Arity, StateEntry
from compiled_plan.plans.nodes.unsupported import OpaqueNode
from compiled_plan.plans.text.jsontext import Json
from compiled_plan.plans.text.spans import parts_of

#: The Flink version of the plans written here, and the newest version whose plans run here.
FLINK_VERSION = "2.3"
#: Node types of later releases of Flink: the release, and the way to the same rows in FLINK_VERSION.
LATER_TYPES = {
    "stream-exec-lateral-snapshot-join": (
        "2.4",
        "write a temporal join, JOIN t FOR SYSTEM_TIME AS OF, instead of LATERAL SNAPSHOT",
    ),
}


def is_newer(version: str) -> bool:
    """Return True if a version of Flink, such as `2.4`, is newer than FLINK_VERSION."""
    return _numbers(version) > _numbers(FLINK_VERSION)


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))


class NewerNode(OpaqueNode):
    """A node of a newer Flink whose own fields are preserved as plain JSON, except for its `state` array."""

    INPUTS: ClassVar[Arity] = Arity(0, None)

    state: tuple[StateEntry, ...] = ()
    _type: str = PrivateAttr()
    _refusal: Fault = PrivateAttr()

    @classmethod
    def of(cls, value: dict[str, Json], reason: Finding, version: str) -> Self | None:
        """Read a node of a plan of Flink `version`; None if even the fields of all nodes are malformed.

        Args:
            value: the node's JSON, with its `type`.
            reason: why it is not read as a node of FLINK_VERSION.
            version: the plan's version of Flink.
        """
        own = {key: item for key, item in value.items() if key != "type"}
        try:
            node = cls.model_validate(own, by_alias=True, by_name=False)
        except ValidationError:
            return None
        node._type = str(value["type"])
        path = parts_of(reason.pointer)[2:]
        remedy = f"the plan is of Flink {version}: {recompile_remedy(node._type)}"
        node._refusal = Fault(path, reason.message, remedy, reason.value, editable=True)
        return node

    @property
    def type(self) -> str:
        return self._type

    @property
    def kind(self) -> str:
        return self._type.removeprefix(PREFIX).rpartition("_")[0]

    @property
    def keeps_state(self) -> bool:
        return bool(self.ttl_entries)

    @property
    def forgets_idle_keys(self) -> bool:
        return TTL in self.configuration

    @property
    def listed_entries(self) -> tuple[StateEntry, ...]:
        return self.state

    def refusal(self) -> Fault:
        return self._refusal


def recompile_remedy(type_name: str) -> str:
    """The way to a plan that runs, without a node of this type."""
    _, instead = LATER_TYPES.get(type_name.rpartition("_")[0], ("", ""))
    return (
        f"{instead}, and compile it with Flink {FLINK_VERSION}" if instead else f"compile it with Flink {FLINK_VERSION}"
    )
