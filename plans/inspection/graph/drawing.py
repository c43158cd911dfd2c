"""Drawing of a plan or of a difference: the graph, and marks on changed operators. The renderings read this alone."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum

from compiled_plan.plans.inspection.diff.model import Change
from compiled_plan.plans.inspection.graph.document import Graph, GraphNode, graph_of
from compiled_plan.plans.inspection.judging.verdicts import Verdict
from compiled_plan.plans.plan import CompiledPlan
from compiled_plan.plans.text.visible import visible

#: Longest line of a box, in characters.
_WIDTH = 36


class Style(Enum):
    """Appearance of a marked operator, and the colour of its border."""

    ADDED = "added", "#1a7f37"
    CHANGED = "changed", "#0969da"
    REMOVED = "removed", "#8c959f"
    PARTIAL = "partial", "#bf8700"
    UNKNOWN = "unknown", "#8250df"
    INCOMPATIBLE = "incompatible", "#cf222e"

    def __init__(self, title: str, colour: str) -> None:
        self.title = title
        self.colour = colour


@dataclass(frozen=True, slots=True)
class Mark:
    """The change of an operator, source or sink, and its verdict."""

    change: Change
    verdict: Verdict

    @property
    def text(self) -> str:
        return self.change.value if self.verdict is Verdict.FULL else f"{self.change.value}, {self.verdict.value}"

    @property
    def style(self) -> Style:
        """The verdict counts unless it is full."""
        if self.verdict is not Verdict.FULL:
            return Style[self.verdict.name]
        return Style[self.change.name] if self.change in (Change.ADDED, Change.REMOVED) else Style.CHANGED


class Part(Enum):
    """Role of a line in a box."""

    TITLE = "title"
    DETAIL = "detail"
    STATE = "state"
    MARK = "mark"


@dataclass(frozen=True, slots=True)
class BoxLine:
    text: str
    part: Part


@dataclass(frozen=True, slots=True)
class Drawing:
    """A graph with the marks of its nodes, by id."""

    graph: Graph
    marks: Mapping[int, Mark] = field(default_factory=dict)

    @classmethod
    def of(cls, plan: CompiledPlan) -> Drawing:
        """Draw a plan, with passwords masked."""
        return cls(graph_of(plan))

    def style(self, node: int) -> Style | None:
        return self.marks[node].style if node in self.marks else None

    def is_dashed(self, *nodes: int) -> bool:
        """Return True for a node that was removed, and for an edge (its two ends) at one."""
        return any(node in self.marks and self.marks[node].change is Change.REMOVED for node in nodes)

    def box(self, node: GraphNode) -> Sequence[BoxLine]:
        """The lines of a node's box: title, description, state with its TTLs, change."""
        return tuple(self._box(node))

    def _box(self, node: GraphNode) -> Iterator[BoxLine]:
        for text in _wrapped(node.words):
            yield BoxLine(text, Part.TITLE)
        if node.description != node.words:
            for text in _wrapped(node.description):
                yield BoxLine(text, Part.DETAIL)
        for entry in node.state:
            for text in _wrapped(f"{entry.name}: {entry.effective_ttl}"):
                yield BoxLine(text, Part.STATE)
        if node.id in self.marks:
            yield BoxLine(self.marks[node.id].text, Part.MARK)


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(visible(text), _WIDTH, max_lines=4, placeholder=" …")
