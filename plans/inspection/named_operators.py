"""Operators by the names that users give them: the uid, or the id of the node."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from compiled_plan.plans.findings import did_you_mean

#: The number of operators that a message lists.
_LISTED = 12


@dataclass(frozen=True, slots=True)
class NamedOperator:
    """An operator that a name may refer to.

    Args:
        uid: its uid; empty for none.
        node: the id of its node; None if names do not refer to it.
        kind: its kind, such as "join"; no name.
    """

    uid: str
    node: int | None = None
    kind: str = ""

    @property
    def text(self) -> str:
        more = ", ".join(filter(None, (self.kind, "" if self.node is None else f"node {self.node}")))
        name = self.uid or str(self.node)
        return f"`{name}` ({more})" if more and self.uid else f"`{name}`"


def operator_named(name: str, operators: Iterable[NamedOperator]) -> NamedOperator | None:
    """The operator with this uid, else with this id of a node; None if there is none."""
    known = list(operators)
    by_uid = next((operator for operator in known if operator.uid == name), None)
    return by_uid or next((operator for operator in known if str(operator.node) == name), None)


def suggested(name: str, operators: Iterable[NamedOperator]) -> str:
    """The remedy for a name of no operator: the operator of a similar uid, those of that kind, or all of them."""
    known = list(operators)
    if not known:
        return "none has state: leave the name out"
    near = did_you_mean(name, [operator.uid for operator in known if operator.uid], "-")
    if near != "-":
        return near
    like = [operator for operator in known if name and name.lower() in f"{operator.uid} {operator.kind}".lower()]
    listed = [operator.text for operator in (like or known)]
    more = [f"and {len(listed) - _LISTED} more"] if len(listed) > _LISTED else []
    return f"name one of the operators with state: {', '.join([*listed[:_LISTED], *more])}"
