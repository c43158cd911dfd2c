"""Traversals of trees and graphs without recursion: Python's stack ends at some thousand levels."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import TypeVar

N = TypeVar("N")
T = TypeVar("T")
H = TypeVar("H", bound=Hashable)


def fold_tree(root: N, children_of: Callable[[N], Sequence[N]], combine: Callable[[N, tuple[T, ...]], T]) -> T:
    """Fold a tree bottom-up, left to right: `combine` takes a node and the results of its children, in order.

    `children_of` is called once per node, on the way down.
    """
    node = root
    above: list[tuple[N, Sequence[N], list[T]]] = []
    while True:
        children = children_of(node)
        if children:
            above.append((node, children, []))
            node = children[0]
            continue
        value = combine(node, ())
        while above:
            node, children, results = above[-1]
            results.append(value)
            if len(results) < len(children):
                node = children[len(results)]
                break
            above.pop()
            value = combine(node, tuple(results))
        else:
            return value


def reached(starts: Iterable[H], onward: Callable[[H], Iterable[H]]) -> Iterator[H]:
    """The nodes reachable from the starts, including these, once each; `onward` must not depend on the path."""
    waiting = list(starts)
    seen: set[H] = set()
    while waiting:
        node = waiting.pop()
        if node not in seen:
            seen.add(node)
            yield node
            waiting += onward(node)


class TreePath:
    """A path down a tree that shares its prefix with its siblings; as text a JSON pointer.

    It becomes text in errors only: the texts of all paths in a deep tree would have quadratic size.
    """

    __slots__ = ("above", "step")

    def __init__(self, above: TreePath | str, step: str | int) -> None:
        self.above, self.step = above, step

    def __str__(self) -> str:
        parts = [f"/{str(step).replace('~', '~0').replace('/', '~1')}" for step in self.steps()]
        return self._root() + "".join(parts)

    def steps(self) -> list[str | int]:
        steps: list[str | int] = []
        place: TreePath | str = self
        while isinstance(place, TreePath):
            steps.append(place.step)
            place = place.above
        return steps[::-1]

    def _root(self) -> str:
        place: TreePath | str = self
        while isinstance(place, TreePath):
            place = place.above
        return place
