"""Registry of lineage rules, and the builders that they use.

Each node type has one rule, in the module of `plans.inspection.operators` named as the node's. It derives the meanings
of the node's columns and the properties of its state from the meanings of its inputs' columns. A node without a rule
gets the one that follows from its declaration.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from compiled_plan.plans.inspection.lineage.expressions import Scope
from compiled_plan.plans.inspection.lineage.meaning import Meaning, compose, digest_of, type_text
from compiled_plan.plans.inspection.lineage.operators import Item, OperatorLineage, Property, Role
from compiled_plan.plans.inspection.lineage.rows import Branch, Port, Rows, in_order, sides
from compiled_plan.plans.inspection.lineage.table_identity import TableIdentity
from compiled_plan.plans.nodes.base import PlanNode
from compiled_plan.plans.plan import CompiledPlan
from compiled_plan.plans.plan.session_options import DEFAULT, zone_of
from compiled_plan.plans.types import LogicalType


@dataclass(frozen=True, slots=True)
class RuleResult:
    """Result of a rule: the node's rows, and the operator if it is stateful."""

    rows: Rows
    operator: OperatorLineage | None = None


@dataclass(slots=True)
class Context:
    """The plan, and the rows of the nodes that a rule may refer to."""

    plan: CompiledPlan
    identity_of: TableIdentity  # identifies tables
    rows: dict[int, Rows] = field(default_factory=dict)  # output rows of the nodes visited so far

    def inputs(self, node: PlanNode) -> list[Rows]:
        """The input rows of a node."""
        return [self.rows[below.id] for below in self.plan.inputs(node)]

    def ports(self, node: PlanNode) -> tuple[Port, ...]:
        """The inputs of a node as ports."""
        return sides(self.inputs(node))

    def types(self, node: PlanNode, at: int = 0) -> tuple[LogicalType, ...]:
        return tuple(self.plan.inputs(node)[at].output_type.types)

    def scope(self, node: PlanNode, column: Callable[[int], Meaning]) -> Scope:
        """The scope of the node's expressions."""
        return Scope(column, zone_or_default(node))


Rule = Callable[[Any, Context], RuleResult]
_OPERATORS = "compiled_plan.plans.inspection.operators"
_RULES: dict[type[PlanNode], Rule] = {}


def rule(*nodes: type[PlanNode]) -> Callable[[Rule], Rule]:
    def register(function: Rule) -> Rule:
        for node in nodes:
            _RULES[node] = function
        return function

    return register


def rule_of(node: type[PlanNode]) -> Rule:
    """The rule of a node type, or of the type of which it is another version."""
    for module in (node.__module__.rpartition(".")[2], "declared"):
        name = f"{_OPERATORS}.{module}"
        if find_spec(name) is not None:
            import_module(name)
    return next(_RULES[class_] for class_ in node.__mro__ if class_ in _RULES)


def zone_or_default(node: PlanNode) -> str:
    """The session's time zone on a node; "default" for that of the run."""
    return zone_of(node) or DEFAULT


# ------------------------------------------------------------ builders for rules


def items(
    meanings: Iterable[Meaning], types: Sequence[LogicalType | None] = (), names: Sequence[str] = ()
) -> tuple[Item, ...]:
    """Convert meanings to items of a property, with types and names if available."""
    result = []
    for at, meaning in enumerate(meanings):
        type_ = types[at] if at < len(types) else None
        name = names[at] if at < len(names) else ""
        head = f"{name} = " if at < len(names) else ""
        text = type_text(type_) if type_ is not None else ""
        result.append(
            Item(head + meaning.text, digest_of([head, meaning.digest]), head + meaning.full, text, name, meaning)
        )
    return tuple(result)


@dataclass(slots=True)
class OperatorDraft:
    """Builder of an operator; every operator has its incoming rows as a property."""

    node: PlanNode
    kind: str  # kind of operator
    context: Context
    ports: tuple[Port, ...]
    kernel: str = ""  # the kernel's operator, if it is not determined by `kind`
    _properties: list[Property] = field(default_factory=list)
    _meanings: list[Meaning] = field(default_factory=list)
    key_types: list[LogicalType] = field(default_factory=list)  # types of the key columns added so far
    selected: tuple[Meaning, ...] = ()  # see `Branch`
    equal: tuple[frozenset[str], ...] = ()

    def add(
        self,
        subject: str,
        meanings: Iterable[Meaning],
        types: Sequence[LogicalType | None] = (),
        role: Role = Role.OWN,
        *,
        port: Port | None = None,
        number: int = 0,
        value: object = None,
    ) -> None:
        """Add a property that lists meanings; for the other arguments see `Property`."""
        listed = tuple(meanings)
        self._meanings += listed
        of, at = ("", 0) if port is None else (port.name, port.at)
        self._properties.append(Property(subject, items(listed, types), role, value, of, at, number))

    def add_named(self, name: str, meanings: Mapping[str, Meaning], types: Sequence[LogicalType | None] = ()) -> None:
        """Add a property that lists named meanings."""
        self._meanings += meanings.values()
        self._properties.append(Property(name, items(meanings.values(), types, tuple(meanings))))

    def add_value(self, subject: str, value: object, text: str = "", role: Role = Role.OWN) -> None:
        """Add a property with a plain value: rules use the value, reports show the text."""
        shown = text or (("yes" if value else "no") if isinstance(value, bool) else str(value))
        self._properties.append(Property(subject, (Item(shown, digest_of(value)),), role, value))

    def key(self, port: Port, columns: Sequence[int], at: int = 0, name: str = "key") -> None:
        """Add the columns of the key."""
        types = self.context.types(self.node, at) if at < len(self.context.plan.inputs(self.node)) else ()
        self.key_of(port, columns, types, name)

    def key_of(self, port: Port, columns: Sequence[int], types: Sequence[LogicalType], name: str = "key") -> None:
        """Add the columns of the key, with explicit column types."""
        chosen = [types[column] for column in columns if 0 <= column < len(types)]
        self.key_types += chosen
        self.add(name, [port.column(column) for column in columns], chosen, Role.KEY, port=port)

    def stored(self, port: Port, at: int = 0) -> None:
        """Add the rows of an input, which are stored whole."""
        self.add("columns", port.all_columns(), self.context.types(self.node, at), Role.AROUND, port=port)

    def watermarks(self, in_event_time: bool = True) -> None:
        """Add the watermarks that fire its timers, in event time."""
        if in_event_time:
            self.add(
                "watermark",
                in_order(watermark for port in self.ports for watermark in port.watermarks),
                role=Role.AROUND,
            )

    def finish(self, columns: Sequence[Meaning], origin: str = "") -> RuleResult:
        """Build the operator, and its rows with these columns."""
        for port in self.ports:
            self.add("rows", [port.origin], port=port)
            self.add("filter", port.filter, port=port)
        if self.kernel:
            self.add_value("operator", self.kernel, role=Role.AROUND)
        histories = [port.histories for port in self.ports]
        identity = digest_of(
            [self.kind, [[property_.name, property_.digest] for property_ in self._properties], histories]
        )
        own_properties = [property_ for property_ in self._properties if property_.role is not Role.AROUND]
        own = digest_of(
            [self.kind, [[property_.name, [item.digest for item in property_.items]] for property_ in own_properties]]
        )
        operator = OperatorLineage(
            self.node.id,
            self.kind,
            self.node.uid or "",
            tuple(self._properties),
            identity,
            own,
            frozenset().union(*(meaning.zones for meaning in self._meanings)),
            tuple(
                sorted({f for meaning in self._meanings for f in meaning.functions}, key=lambda f: (f.path, f.method))
            ),
            tuple(self.key_types),
        )
        return RuleResult(self.rows(columns, identity, origin), operator)

    def rows(self, columns: Sequence[Meaning], history: str, origin: str = "") -> Rows:
        watermarks = in_order(watermark for port in self.ports for watermark in port.watermarks)
        emitted = origin_of(origin or self.kind, self.ports)
        return (Branch(emitted, tuple(columns), (), watermarks, history, self.selected, self.equal),)


def origin_of(kind: str, ports: Sequence[Port]) -> Meaning:
    """Identity of the rows that an operator of this kind emits over its inputs."""
    parts = [port.origin for port in ports]
    texts, fulls = (", ".join(getattr(part, name) for part in parts) for name in ("text", "full"))
    return compose("rows", parts, kind, text=f"{kind}({texts})", full=f"{kind}({fulls})")
