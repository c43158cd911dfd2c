"""Base of all AST nodes, and traversals of their trees."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import KW_ONLY, dataclass, field, fields, replace
from typing import Any, TypeVar, dataclass_transform

from compiled_plan.plans.deep import deeply
from compiled_plan.plans.text.position import Span

N = TypeVar("N", bound="Node")
T = TypeVar("T")


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def node(class_: type[T]) -> type[T]:
    """A frozen dataclass with slots for which `dataclass` generates the constructor alone.

    Every generated method costs startup time, and there are some 100 classes: `Node` has the others.
    """
    return dataclass(frozen=True, slots=True, eq=False, repr=False)(class_)


@node
class Node:
    """A part of a parsed query; names, functions and types are not resolved.

    Attributes:
        span: its position in the script; None for a node without one.
        python: the Python text of an expression of the Table API, for errors; else empty.
    """

    _: KW_ONLY
    span: Span | None = None
    python: str = ""

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self._content() == other._content()

    def __hash__(self) -> int:
        return hash((type(self), self._content()))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(map(repr, self._content()))})"

    def _content(self) -> tuple[object, ...]:
        """The node's fields without its position."""
        return tuple(getattr(self, item.name) for item in fields(self) if item.name not in ("span", "python"))


@node
class Expression(Node):
    """A node with a value: in a SELECT list, in a condition, among arguments."""


@node
class Relation(Node):
    """A node that stands in FROM."""


@node
class Identifier(Node):
    """A name with its case, without backticks."""

    name: str


@node
class Named(Node):
    """A node with a dotted name in `parts`, outermost first."""

    parts: tuple[Identifier, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The parts of the name as strings."""
        return tuple(part.name for part in self.parts)


def children(node: Node) -> Iterator[Node]:
    """The nodes directly below a node, in the order of its fields."""
    for item in fields(node):
        value = getattr(node, item.name)
        if isinstance(value, Node):
            yield value
        elif isinstance(value, tuple):
            yield from (part for part in value if isinstance(part, Node))


def walk(node: Node, prune: Callable[[Node], bool] = lambda node: False) -> Iterator[Node]:
    """A node and its descendants, level by level; skips the descendants of nodes for which `prune` is true."""
    waiting = deque((node,))
    while waiting:
        part = waiting.popleft()
        yield part
        if not prune(part):
            waiting.extend(children(part))


@deeply
def rewrite(node: N, change: Callable[[Node], Node | None]) -> N:
    """Replace parts of a tree.

    Args:
        node: the root.
        change: returns the replacement of a part, which is not traversed; None to traverse the part itself.
    """
    changed: N = _rewritten(node, change)
    return changed


def _rewritten(node: Node, change: Callable[[Node], Node | None]) -> Any:
    changed = change(node)
    if changed is not None:
        return changed
    new: dict[str, Any] = {}
    for item in fields(node):
        value = getattr(node, item.name)
        if isinstance(value, Node):
            new[item.name] = _rewritten(value, change)
        elif isinstance(value, tuple):
            new[item.name] = tuple(_rewritten(part, change) if isinstance(part, Node) else part for part in value)
    return replace(node, **new)
