"""Trees and graphs of any depth, without recursion: Python's own stack ends at some thousand levels."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import TypeVar

N = TypeVar("N")
T = TypeVar("T")
H = TypeVar("H", bound=Hashable)


def fold_tree(root: N, children_of: Callable[[N], Sequence[N]], combine: Callable[[N, tuple[T, ...]], T]) -> T:
    """The result of `combine` for a tree from its results for the parts; bottom-up, left to right.

    `children_of` is asked once for each node, on the way down; `combine` takes each node and its children's results, in
    order.
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
    """All that is reached from the starts, they too, each once; `onward` must not depend on the way there."""
    waiting = list(starts)
    seen: set[H] = set()
    while waiting:
        found = waiting.pop()
        if found not in seen:
            seen.add(found)
            yield found
            waiting += onward(found)


class Way:
    """A way down a tree, which shares what is above; as text a JSON pointer.

    It becomes text for an error alone: those of all places in a deep tree would be of quadratic size.
    """

    __slots__ = ("above", "step")

    def __init__(self, above: Way | str, step: str | int) -> None:
        self.above, self.step = above, step

    def __str__(self) -> str:
        parts = [f"/{str(step).replace('~', '~0').replace('/', '~1')}" for step in self.steps()]
        return self._root() + "".join(parts)

    def steps(self) -> list[str | int]:
        """The steps, from the top."""
        found: list[str | int] = []
        place: Way | str = self
        while isinstance(place, Way):
            found.append(place.step)
            place = place.above
        return found[::-1]

    def _root(self) -> str:
        place: Way | str = self
        while isinstance(place, Way):
            place = place.above
        return place
