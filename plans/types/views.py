"""Lists and maps inside accumulators of aggregate functions, by the names of PyFlink.

Source: PyFlink's `ListView` and `MapView`. State holds them as ARRAY and MAP of their elements' types, never pickled.
"""

from __future__ import annotations

from collections.abc import ItemsView, Iterable, Iterator, KeysView, Mapping, ValuesView
from typing import Any, Generic, TypeVar

T = TypeVar("T")
K = TypeVar("K")
V = TypeVar("V")


class ListView(Generic[T]):
    """A list in an accumulator."""

    __slots__ = ("_list",)

    def __init__(self) -> None:
        self._list: list[T] = []

    @classmethod
    def over(cls, items: list[T]) -> ListView[T]:
        """The view of a list, which it does not copy."""
        view = cls()
        view._list = items
        return view

    def get(self) -> list[T]:
        """The elements, in the order in which they were added."""
        return self._list

    def add(self, value: T) -> None:
        """Append an element to the end of the list."""
        self._list.append(value)

    def add_all(self, values: Iterable[T]) -> None:
        """Append elements to the end of the list."""
        self._list.extend(values)

    def clear(self) -> None:
        """Remove all elements of the list."""
        self._list = []

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ListView) and list(other.get()) == self._list

    __hash__ = None  # type: ignore[assignment]

    def __iter__(self) -> Iterator[T]:
        return iter(self._list)

    def __len__(self) -> int:
        return len(self._list)


class MapView(Generic[K, V]):
    """A map in an accumulator."""

    __slots__ = ("_dict",)

    def __init__(self) -> None:
        self._dict: dict[K, V] = {}

    @classmethod
    def over(cls, entries: dict[K, V]) -> MapView[K, V]:
        """The view of a dict, which it does not copy."""
        view = cls()
        view._dict = entries
        return view

    def get(self, key: K) -> V:
        """The value of a key.

        Raises:
            KeyError: there is none.
        """
        return self._dict[key]

    def put(self, key: K, value: V) -> None:
        """Set the value of a key."""
        self._dict[key] = value

    def put_all(self, dict_value: Mapping[K, V]) -> None:
        """Set the values of several keys."""
        self._dict.update(dict_value)

    def remove(self, key: K) -> None:
        """Remove a key.

        Raises:
            KeyError: the view does not contain it.
        """
        del self._dict[key]

    def contains(self, key: K) -> bool:
        return key in self._dict

    def items(self) -> ItemsView[K, V]:
        return self._dict.items()

    def keys(self) -> KeysView[K]:
        return self._dict.keys()

    def values(self) -> ValuesView[V]:
        return self._dict.values()

    def is_empty(self) -> bool:
        return not self._dict

    def clear(self) -> None:
        """Remove all keys with their values."""
        self._dict.clear()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, MapView) and other._dict == self._dict

    __hash__ = None  # type: ignore[assignment]

    def __getitem__(self, key: K) -> V:
        return self._dict[key]

    def __setitem__(self, key: K, value: V) -> None:
        self._dict[key] = value

    def __delitem__(self, key: K) -> None:
        del self._dict[key]

    def __contains__(self, key: object) -> bool:
        return key in self._dict

    def __iter__(self) -> Iterator[Any]:
        return iter(self._dict)

    def __len__(self) -> int:
        return len(self._dict)
