"""The meaning of a value: the expression that computes it, down to columns of tables and functions.

A meaning is a digest with two readable texts. Values with equal digests are computed alike from equal inputs, whatever
their names, positions and node ids. Nullability is not part of it: no stored value depends on it.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from compiled_plan.plans.deep import deeply
from compiled_plan.plans.rex import UserFunction
from compiled_plan.plans.types import LogicalType

#: Hex digits of a digest.
_DIGITS = 16
#: Maximum text lengths in characters; digests distinguish longer ones.
_TEXT, _FULL = 240, 600
_NO_ZONES: frozenset[str] = frozenset()
_NO_FUNCTIONS: frozenset[UserFunction] = frozenset()


@dataclass(frozen=True, slots=True)
class Meaning:
    """The meaning of a value."""

    digest: str  # equal for equal meanings
    text: str = field(compare=False)  # readable text, `SUM(orders.amount)`
    #: The text with types, sides of joins and groups, to distinguish meanings with equal texts.
    full: str = field(compare=False)
    #: Time zones that the value depends on; "default" for that of the run.
    zones: frozenset[str] = field(default=_NO_ZONES, compare=False)
    #: Functions of users that compute the value.
    functions: frozenset[UserFunction] = field(default=_NO_FUNCTIONS, compare=False)
    head: str = field(default="", compare=False, repr=False)  # kind of meaning, such as "call"
    parts: tuple[Meaning, ...] = field(default=(), compare=False, repr=False)  # the meanings that it is composed of
    plain: Any = field(default=None, compare=False, repr=False)  # further detail without types
    #: The type of its values, if known.
    type: LogicalType | None = field(default=None, compare=False, repr=False)

    def named(self, text: str) -> Meaning:
        """Copy the meaning with another text."""
        return replace(self, text=text)


_dumps = deeply(json.dumps)


def digest_of(value: object) -> str:
    """Digest of a JSON value."""
    text = _dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGITS]


def compose(
    head: str,
    parts: Sequence[Meaning] = (),
    detail: object = None,
    *,
    text: str,
    full: str = "",
    zones: Iterable[str] = (),
    functions: Iterable[UserFunction] = (),
    plain: object = None,
    type_: LogicalType | None = None,
) -> Meaning:
    """Compose a meaning from ordered parts; `head` is the kind of meaning, such as "call".

    `detail`, as JSON, distinguishes meanings with equal head and parts; `plain` is the detail without types. `zones`
    and `functions` are added to those of the parts. `text` and `full` are as in `Meaning`; `full` defaults to the text.
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
    return compose("value", detail=text if detail is None else detail, text=text)


def uses(meaning: Meaning, digests: Collection[str]) -> bool:
    """Return True if a value is one of these meanings, or computed from one."""
    open_, seen = [meaning], set[str]()
    while open_:
        part = open_.pop()
        if part.digest in digests:
            return True
        if part.digest not in seen:
            seen.add(part.digest)
            open_ += part.parts
    return False


def is_null(meaning: Meaning | None) -> bool:
    """Return True if a value is always NULL."""
    while meaning is not None and meaning.head == "call" and meaning.plain[0] == "$CAST$1":
        meaning = meaning.parts[0]
    return meaning is not None and meaning.head == "literal" and meaning.plain[0] is None


def function_of(meaning: Meaning | None) -> str:
    """The function of an aggregate call, "$SUM$1"; empty for any other meaning."""
    return str(meaning.plain[0][0]) if meaning is not None and meaning.head == "aggregate" else ""


def counts_rows(meaning: Meaning | None) -> bool:
    """Return True for COUNT(*), which groups and windows maintain anyway."""
    return function_of(meaning) == "$COUNT$1" and meaning is not None and not meaning.parts


def listed(parts: Iterable[Meaning]) -> str:
    return ", ".join(part.text for part in parts)


def listed_in_full(parts: Iterable[Meaning]) -> str:
    return ", ".join(part.full for part in parts)


def either(meanings: Sequence[Meaning]) -> Meaning:
    """A value with several alternative origins; a single origin is returned unchanged."""
    if len(meanings) == 1:
        return meanings[0]
    texts, fulls = (dict.fromkeys(getattr(meaning, name) for meaning in meanings) for name in ("text", "full"))
    return compose("either", meanings, text=" | ".join(texts), full=" | ".join(fulls))


@lru_cache(maxsize=4096)
def type_text(type_: LogicalType) -> str:
    """A type without nullability and planner-only attributes."""
    text = str(type_.as_regular()).replace(" NOT NULL", "")
    return re.sub(r"VARCHAR\(2147483647\)", "STRING", re.sub(r"VARBINARY\(2147483647\)", "BYTES", text))


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"
