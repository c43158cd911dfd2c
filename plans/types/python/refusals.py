"""Classes without an SQL type: reasons and remedies."""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from compiled_plan.plans.types.python.bridge import name_of
from compiled_plan.plans.types.python.plain import NUMPY
from compiled_plan.plans.types.row import Row

#: Reason and remedy for classes that are not listed.
UNKNOWN = (
    "it is no class with a SQL type",
    'write a type: Annotated[..., DataTypeHint("<type>")]; DataTypeHint("RAW") passes the object as it is',
)
_BARE = "its elements have no type"
#: Reason and remedy by class.
REFUSED: dict[object, tuple[str, str]] = {
    inspect.Parameter.empty: ("", "annotate it, `name: int`, or say its type in a function_hint"),
    Any: ("it may be anything", "write the type, DataTypeHint(input_group=ANY) for a parameter of any type"),
    object: ("it may be anything", "write the type, DataTypeHint(input_group=ANY) for a parameter of any type"),
    type(None): ("it is no value", "annotate what it gives"),
    None: ("it is no value", "annotate what it gives"),
    list: (_BARE, "write list[int]"),
    Sequence: (_BARE, "write list[int]"),
    tuple: (
        "a tuple has no names of fields",
        'write a NamedTuple or dataclass, or a hint: DataTypeHint("ROW<a INT, b STRING>")',
    ),
    dict: (_BARE, "write dict[str, int]"),
    Mapping: (_BARE, "write dict[str, int]"),
    set: ("SQL has no sets", 'write list[int], or a hint: DataTypeHint("MULTISET<INT>")'),
    frozenset: ("SQL has no sets", 'write list[int], or a hint: DataTypeHint("MULTISET<INT>")'),
    Row: ("a row's fields need names and types", 'write a hint: DataTypeHint("ROW<a INT, b STRING>")'),
    complex: ("SQL has no complex numbers", "write a dataclass of two floats"),
    Counter: ("a MULTISET needs to be said", 'write a hint: Annotated[Counter, DataTypeHint("MULTISET<STRING>")]'),
}


def refused_of_numpy(class_: object) -> tuple[str, str] | None:
    """Reason and remedy for a class of numpy or pandas; None for any other class."""
    name = name_of(class_) if isinstance(class_, type) else ""
    if not name.startswith(("numpy.", "pandas.")):
        return None
    known = ", ".join(key for key in NUMPY if not key.endswith("_"))
    remedies = {
        "numpy.ndarray": ("its elements have no type", 'write Annotated[numpy.ndarray, DataTypeHint("ARRAY<DOUBLE>")]'),
        "numpy.datetime64": (
            "it may be a date or a time",
            "write datetime.datetime, datetime.date or pandas.Timestamp",
        ),
        "numpy.str_": ("texts are those of Python", "write str"),
        "numpy.bytes_": ("they are those of Python", "write bytes"),
        "numpy.timedelta64": ("it has no unit", "write datetime.timedelta"),
    }
    return remedies.get(name, ("SQL has no such type", f"write int, float, or one of numpy's {known}"))


def is_hashable(value: object) -> bool:
    """Return True if a value can be looked up in `REFUSED`."""
    try:
        hash(value)
    except TypeError:
        return False
    return True
