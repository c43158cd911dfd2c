"""Pickled values: round trips, and the limits of a planted pickle."""

from __future__ import annotations

import datetime as dt
import os
import pickle
import subprocess
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple
from uuid import UUID

import numpy
import pytest

from compiled_plan.plans.functions.pickles import Unpickling, named_classes, pickled, trusting, unpickling


class Kind(Enum):
    GOOD = "good"


class Pair(NamedTuple):
    left: int
    right: str


class Sums(list[int]):
    """A list with a name."""


class Slotted:
    __slots__ = ("total",)
    total: int

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Slotted) and self.total == other.total


@dataclass
class Window:
    kind: Kind
    pairs: list[Pair]
    slots: dict[str, Slotted] | None = None
    process: subprocess.Popen[bytes] | None = None


def slotted(total: int) -> Slotted:
    slotted = Slotted()
    slotted.total = total
    return slotted


PLAIN = [
    (1, None, True, 2.5, "é", b"b", bytearray(b"c"), 1 + 2j, 1 << 70),
    {"a": [1, {2, 3}, frozenset([4])]},
    [dt.date(2024, 1, 2), dt.time(3, 4), dt.datetime(2024, 1, 2, 3, tzinfo=dt.UTC), dt.timedelta(1, 2, 3)],
    [Decimal("1.50"), Fraction(1, 3), UUID(int=7)],
    [deque([1, 2], 3), Counter("aab"), OrderedDict(a=1), defaultdict(int, a=1), defaultdict(Counter)],
    [numpy.float64(1.5), numpy.int8(-3), numpy.bool_(True)],
]
OWN = [
    (Window(Kind.GOOD, [Pair(1, "a")], {"x": slotted(3)}), Window),
    ([Sums([1, 2])], list[Sums]),
    ((Kind.GOOD, Pair(1, "b")), tuple[Kind, Pair] | None),
    (defaultdict(Sums, a=Sums([1])), defaultdict[str, Sums]),
]


@pytest.mark.parametrize("write", [pickled, pickle.dumps])
@pytest.mark.parametrize(("value", "annotation"), [*((value, object) for value in PLAIN), *OWN])
def test_values_survive_a_round_trip(value: Any, annotation: Any, write: Callable[[Any], bytes]) -> None:
    """The reader is sent to workers, and its result is pickled again."""
    read = pickle.loads(pickle.dumps(unpickling(annotation)))
    restored = read(write(value))
    assert restored == value and type(restored) is type(value)
    assert read(pickled(restored)) == value


@pytest.mark.parametrize("array", [numpy.arange(6), numpy.arange(6.0).reshape(2, 3), numpy.zeros((2, 2), bool).T])
def test_arrays_survive_a_round_trip(array: Any) -> None:
    restored = unpickling(object)(pickled(array))
    assert (restored == array).all() and restored.dtype == array.dtype
    restored[0] = 1


def test_classes_that_an_annotation_names() -> None:
    """Of fields only the user's own classes: an annotation does not vouch for the classes of other packages."""
    assert set(named_classes(dict[str, Window])) == {Window, Kind, Pair, Slotted}
    assert set(named_classes(Sums | int)) == {Sums}
    assert not set(named_classes(list[Any]))


class Planted:
    """Pickle as a call."""

    def __init__(self, call: Callable[..., Any], *arguments: Any, state: Any = None) -> None:
        self.made = (call, arguments) if state is None else (call, arguments, state)

    def __reduce__(self) -> Any:
        return self.made


class Opens:
    """A user-defined class whose constructor has a side effect."""

    def __init__(self, path: str = "") -> None:
        if path:
            Path(path).touch()


ON_A_CLASS = b"\x80\x04c%b\n%b\nN}X\x05\x00\x00\x00totalK\x05s\x86b."


@pytest.mark.attack
@pytest.mark.parametrize(
    ("planted", "names"),
    [
        (lambda path: pickle.dumps(Planted(os.mkdir, path)), "posix.mkdir"),
        (lambda path: pickle.dumps(Planted(os.system, f"touch {path}")), "posix.system"),
        (lambda path: pickle.dumps(Planted(subprocess.Popen, ["touch", path])), "subprocess.Popen"),
        (lambda path: pickle.dumps(Planted(exec, f"open({path!r}, 'w')")), "builtins.exec"),
        (lambda path: pickle.dumps(Planted(open, path, "w")), "io.open"),
        (lambda path: pickle.dumps(Planted(getattr, path, "upper")), "builtins.getattr"),
        (lambda path: pickle.dumps([1, {"a": (2, Planted(os.mkdir, path))}]), "posix.mkdir"),
        (lambda path: pickle.dumps(Planted(os.mkdir, path), 0), "posix.mkdir"),
        (lambda path: pickle.dumps(Planted(Opens, path)), "calls the constructor of Opens"),
        (lambda path: ON_A_CLASS % (__name__.encode(), b"Opens"), "sets `total` of Opens"),
        (lambda path: ON_A_CLASS % (b"collections", b"Counter"), "sets `total` of Counter"),
        (lambda path: ON_A_CLASS % (b"collections", b"defaultdict"), "sets `total` of _defaultdict"),
        (lambda path: b"\x80\x04c%b\nOpens.__init__.__globals__\n." % __name__.encode(), "Opens.__init__.__globals__"),
        (lambda path: pickle.dumps(numpy.array([Planted(os.mkdir, path)], object)), "numpy._core.multiarray"),
        (lambda path: pickle.dumps(numpy.dtype("O")), "'O8', which is no number"),
        (lambda path: b"cnumpy\ndtype\n(Vi8\nI00\nI01\ntR(I3\nV<\nNVa\n(dNI8\nI8\nI255\ntb.", "no number"),
        (lambda path: b"cno.such.module\nx\n.", "no.such.module.x"),
    ],
)
def test_a_planted_pickle_is_refused_by_name(tmp_path: Path, planted: Callable[[str], bytes], names: str) -> None:
    path = tmp_path / "run"
    read = Unpickling((Window, Opens))
    with pytest.raises(pickle.UnpicklingError, match="pickled value") as refused:
        read(planted(str(path)))
    assert names in str(refused.value)
    assert not path.exists()


def test_pickles_that_are_trusted_are_read_as_they_are(tmp_path: Path) -> None:
    with trusting(True):
        read = unpickling(object)
    read(pickle.dumps(Planted(os.mkdir, str(tmp_path / "run"))))
    assert (tmp_path / "run").exists()
