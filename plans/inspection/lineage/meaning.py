"""What a value means: the expression that it comes from, down to columns of tables and functions.

A meaning is a digest with two texts for people. Two values of equal digest are computed alike from equal inputs,
whatever their names, positions and node ids. Nullability is no part of it: no stored value depends on it.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from compiled_plan.plans.deep import deeply
from compiled_plan.plans.rex import PythonFunction
from compiled_plan.plans.types import LogicalType, TimestampBase

#: Hex digits of a digest.
_DIGITS = 16
#: The longest texts that are made, in characters; digests tell longer ones apart.
_TEXT, _FULL = 240, 600
_NO_ZONES: frozenset[str] = frozenset()
_NO_FUNCTIONS: frozenset[PythonFunction] = frozenset()


@dataclass(frozen=True, slots=True)
class Meaning:
    """The meaning of a value."""

    digest: str  # equal for equal meanings
    text: str = field(compare=False)  # for people, `SUM(orders.amount)`
    #: The text with types, sides of joins and groups, for where two texts are equal and the digests are not.
    full: str = field(compare=False)
    #: The time zones that it depends on; "default" for that of the run.
    zones: frozenset[str] = field(default=_NO_ZONES, compare=False)
    #: The Python functions that it is computed by.
    functions: frozenset[PythonFunction] = field(default=_NO_FUNCTIONS, compare=False)
    head: str = field(default="", compare=False, repr=False)  # the kind of thing, "call" say
    parts: tuple[Meaning, ...] = field(default=(), compare=False, repr=False)  # the meanings that it is made of
    plain: Any = field(default=None, compare=False, repr=False)  # what else tells it apart, types left out
    #: The type of its values, where it is known.
    type: LogicalType | None = field(default=None, compare=False, repr=False)

    def named(self, text: str) -> Meaning:
        """The same meaning with another text."""
        return replace(self, text=text)


_dumps = deeply(json.dumps)


def digest_of(value: Any) -> str:
    """The digest of JSON values."""
    text = _dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGITS]


def made_of(
    head: str,
    parts: Sequence[Meaning] = (),
    detail: Any = None,
    *,
    text: str,
    full: str = "",
    zones: Iterable[str] = (),
    functions: Iterable[PythonFunction] = (),
    plain: Any = None,
    type_: LogicalType | None = None,
) -> Meaning:
    """A meaning made of others, in an order that counts; `head` is the kind of thing, "call" say.

    `detail`, as JSON, tells it from others of that head and those parts; `plain` is the detail without types, where it
    has some. `zones` and `functions` are those beside its parts'. `text` and `full` are as in `Meaning`; `full` is the
    text by default.
    """
    return Meaning(
        digest_of([head, detail, [part.digest for part in parts]]),
        _cut(text, _TEXT),
        _cut(full or text, _FULL),
        _NO_ZONES.union(zones, *(part.zones for part in parts)),
        _NO_FUNCTIONS.union(functions, *(part.functions for part in parts)),
        head,
        tuple(parts),
        detail if plain is None else plain,
        type_,
    )


def value(text: str, detail: Any = None) -> Meaning:
    """A plain value, such as a join's type."""
    return made_of("value", detail=text if detail is None else detail, text=text)


def is_null(meaning: Meaning | None) -> bool:
    """Whether a value is always NULL."""
    while meaning is not None and meaning.head == "call" and meaning.plain[0] == "$CAST$1":
        meaning = meaning.parts[0]
    return meaning is not None and meaning.head == "literal" and meaning.plain[0] is None


def function_of(meaning: Meaning | None) -> str:
    """The function of an aggregate call, "$SUM$1"; empty for anything else."""
    return str(meaning.plain[0][0]) if meaning is not None and meaning.head == "aggregate" else ""


def counts_rows(meaning: Meaning | None) -> bool:
    """Whether an aggregate call is COUNT(*): groups and windows know the number of their rows anyway."""
    return function_of(meaning) == "$COUNT$1" and meaning is not None and not meaning.parts


def listed(parts: Iterable[Meaning]) -> str:
    """The texts in a row."""
    return ", ".join(part.text for part in parts)


def listed_in_full(parts: Iterable[Meaning]) -> str:
    """The full texts in a row."""
    return ", ".join(part.full for part in parts)


def either(meanings: Sequence[Meaning]) -> Meaning:
    """A value that comes from one of several places; of one, that very meaning."""
    if len(meanings) == 1:
        return meanings[0]
    texts, fulls = (dict.fromkeys(getattr(one, name) for one in meanings) for name in ("text", "full"))
    return made_of("either", meanings, text=" | ".join(texts), full=" | ".join(fulls))


@lru_cache(maxsize=4096)
def type_text(type_: LogicalType) -> str:
    """A type without nullability, and without what only the planner needs."""
    plain = type_.as_regular() if isinstance(type_, TimestampBase) else type_
    text = str(plain).replace(" NOT NULL", "")
    return re.sub(r"VARCHAR\(2147483647\)", "STRING", re.sub(r"VARBINARY\(2147483647\)", "BYTES", text))


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"
