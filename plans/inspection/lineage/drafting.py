"""The registry of rules, and the parts that they are made with.

Each node type has one rule, in the module of `plans.inspection.operators` that is named as the node's: from what its
inputs' columns mean to what its own mean, and to the properties of what it keeps. A node without one has that which
follows from its declaration.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from compiled_plan.plans.inspection.lineage.expressions import Scope
from compiled_plan.plans.inspection.lineage.meaning import Meaning, digest_of, made_of, type_text
from compiled_plan.plans.inspection.lineage.operators import Item, OperatorLineage, Property, Role
from compiled_plan.plans.inspection.lineage.rows import Branch, Port, Rows, in_order, sides
from compiled_plan.plans.inspection.lineage.table_identity import Telling
from compiled_plan.plans.nodes.base import PlanNode
from compiled_plan.plans.plan import CompiledPlan
from compiled_plan.plans.plan.session_options import DEFAULT, zone_of
from compiled_plan.plans.types import LogicalType


@dataclass(frozen=True, slots=True)
class RuleResult:
    """What a rule gives: the node's rows, and the operator if it keeps something."""

    rows: Rows
    operator: OperatorLineage | None = None


@dataclass(slots=True)
class Context:
    """The facts that a rule may look at."""

    plan: CompiledPlan
    telling: Telling  # what tells tables apart
    rows: dict[int, Rows] = field(default_factory=dict)  # what flows out of the nodes so far

    def inputs(self, node: PlanNode) -> list[Rows]:
        """What flows into a node."""
        return [self.rows[below.id] for below in self.plan.inputs(node)]

    def ports(self, node: PlanNode) -> tuple[Port, ...]:
        """The same as an operator's inputs."""
        return sides(self.inputs(node))

    def types(self, node: PlanNode, at: int = 0) -> tuple[LogicalType, ...]:
        """Column types of an input."""
        return tuple(self.plan.inputs(node)[at].output_type.types)

    def scope(self, node: PlanNode, column: Callable[[int], Meaning]) -> Scope:
        """What the node's expressions may refer to."""
        return Scope(column, said_zone(node))


Rule = Callable[[Any, Context], RuleResult]
_OPERATORS = "compiled_plan.plans.inspection.operators"
_RULES: dict[type[PlanNode], Rule] = {}


def rule(*nodes: type[PlanNode]) -> Callable[[Rule], Rule]:
    """Register the rule of node types."""

    def register(found: Rule) -> Rule:
        for node in nodes:
            _RULES[node] = found
        return found

    return register


def rule_of(node: type[PlanNode]) -> Rule:
    """The rule of a node type, or of the type that it is another version of."""
    for module in (node.__module__.rpartition(".")[2], "declared"):
        name = f"{_OPERATORS}.{module}"
        if find_spec(name) is not None:
            import_module(name)
    return next(_RULES[class_] for class_ in node.__mro__ if class_ in _RULES)


def said_zone(node: PlanNode) -> str:
    """The session's time zone as a node says it; "default" for that of the run."""
    return zone_of(node) or DEFAULT


# ------------------------------------------------------------ what rules are made with


def items(
    meanings: Iterable[Meaning], types: Sequence[LogicalType | None] = (), names: Sequence[str] = ()
) -> tuple[Item, ...]:
    """Meanings as the items of a property, with types and names where there are any."""
    found = []
    for at, each in enumerate(meanings):
        given = types[at] if at < len(types) else None
        name = names[at] if at < len(names) else ""
        head = f"{name} = " if at < len(names) else ""
        text = type_text(given) if given is not None else ""
        found.append(Item(head + each.text, digest_of([head, each.digest]), head + each.full, text, name, each))
    return tuple(found)


@dataclass(slots=True)
class OperatorDraft:
    """An operator in the making: which rows come to its inputs is a property of every one."""

    node: PlanNode
    kind: str  # what it does
    context: Context
    ports: tuple[Port, ...]
    kernel: str = ""  # the operator of the kernel, where it does not go by `kind`
    _properties: list[Property] = field(default_factory=list)
    _meanings: list[Meaning] = field(default_factory=list)
    key_types: list[LogicalType] = field(default_factory=list)  # types of the columns of its keys so far

    def add(
        self,
        subject: str,
        meanings: Iterable[Meaning],
        types: Sequence[LogicalType | None] = (),
        role: Role = Role.OWN,
        *,
        port: Port | None = None,
        number: int = 0,
        value: Any = None,
    ) -> None:
        """Add a property that lists meanings; for the other arguments see `Property`."""
        listed = tuple(meanings)
        self._meanings += listed
        of, at = ("", 0) if port is None else (port.name, port.at)
        self._properties.append(Property(subject, items(listed, types), role, value, of, at, number))

    def add_named(self, name: str, meanings: Mapping[str, Meaning], types: Sequence[LogicalType | None] = ()) -> None:
        """A property that lists meanings under names."""
        self._meanings += meanings.values()
        self._properties.append(Property(name, items(meanings.values(), types, tuple(meanings))))

    def say(self, subject: str, value: Any, text: str = "", role: Role = Role.OWN) -> None:
        """Add a property that is a plain value: rules go by the value, people read the text."""
        shown = text or (("yes" if value else "no") if isinstance(value, bool) else str(value))
        self._properties.append(Property(subject, (Item(shown, digest_of(value)),), role, value))

    def key(self, port: Port, columns: Sequence[int], at: int = 0, name: str = "key") -> None:
        """The columns that tell its keys apart."""
        types = self.context.types(self.node, at) if at < len(self.context.plan.inputs(self.node)) else ()
        self.key_of(port, columns, types, name)

    def key_of(self, port: Port, columns: Sequence[int], types: Sequence[LogicalType], name: str = "key") -> None:
        """The same over columns of given types."""
        chosen = [types[column] for column in columns if 0 <= column < len(types)]
        self.key_types += chosen
        self.add(name, [port.column(column) for column in columns], chosen, Role.KEY, port=port)

    def stored(self, port: Port, at: int = 0) -> None:
        """The rows of an input, which are kept whole."""
        self.add("columns", port.all_columns(), self.context.types(self.node, at), Role.AROUND, port=port)

    def watermarks(self, in_event_time: bool = True) -> None:
        """How the watermarks are made that its timers fire by, if they do."""
        if in_event_time:
            self.add("watermark", in_order(each for port in self.ports for each in port.watermarks), role=Role.AROUND)

    def made(self, columns: Sequence[Meaning], origin: str = "") -> RuleResult:
        """The operator, and its rows with these columns."""
        for port in self.ports:
            self.add("rows", [port.origin], port=port)
            self.add("filter", port.filter, port=port)
        if self.kernel:
            self.say("operator", self.kernel, role=Role.AROUND)
        histories = [port.histories for port in self.ports]
        identity = digest_of([self.kind, [[each.name, each.digest] for each in self._properties], histories])
        meant = [each for each in self._properties if each.role is not Role.AROUND]
        own = digest_of([self.kind, [[each.name, [item.digest for item in each.items]] for each in meant]])
        operator = OperatorLineage(
            self.node.id,
            self.kind,
            self.node.uid or "",
            tuple(self._properties),
            identity,
            own,
            frozenset().union(*(each.zones for each in self._meanings)),
            tuple(sorted({f for each in self._meanings for f in each.functions}, key=lambda f: (f.path, f.method))),
            tuple(self.key_types),
        )
        return RuleResult(self.rows(columns, identity, origin), operator)

    def rows(self, columns: Sequence[Meaning], history: str, origin: str = "") -> Rows:
        """The rows that it gives."""
        watermarks = in_order(each for port in self.ports for each in port.watermarks)
        return (Branch(origin_of(origin or self.kind, self.ports), tuple(columns), (), watermarks, history),)


def origin_of(what: str, ports: Sequence[Port]) -> Meaning:
    """Which rows an operator over others gives."""
    parts = [port.origin for port in ports]
    texts, fulls = (", ".join(getattr(each, name) for each in parts) for name in ("text", "full"))
    return made_of("rows", parts, what, text=f"{what}({texts})", full=f"{what}({fulls})")
