"""JSON text in the style of Flink's plans (Jackson's default pretty printer)."""

from __future__ import annotations

import json
import re
from functools import partial
from typing import Any

from compiled_plan.plans.deep import deeply
from compiled_plan.plans.errors import NestingError, PlanError

Json = Any
#: Python's limit on the digits of a number.
MOST_DIGITS = 4300


class _RepeatedKeyError(ValueError):
    """An object has a key twice."""


def _object(members: list[tuple[str, Json]]) -> dict[str, Json]:
    value = dict(members)
    if len(value) != len(members):
        raise _RepeatedKeyError
    return value


_loads = deeply(json.loads)
_loads_with_keys_once = deeply(partial(json.loads, object_pairs_hook=_object))


def _checked(text: str) -> Json:
    try:
        return _loads_with_keys_once(text)
    except _RepeatedKeyError:
        # The text behind the object may be no JSON, which comes first.
        _loads(text)
        raise


def loads(text: str, source: str = "") -> Json:
    """Parse JSON; `source` is the quoted path of its file, or names another text.

    Raises:
        PlanError: invalid JSON, a key that an object has twice, half a surrogate pair, a number with too
            many digits; with position, line and pointer.
    """
    text = text.removeprefix("\ufeff")
    try:
        value = _checked(text)
    except NestingError:
        raise PlanError("not a plan: the JSON is nested too deeply", where=source) from None
    except ValueError as fault:
        raise _explained(text, source, fault) from None
    if _SURROGATE.search(text) and (half := next(filter(_is_half, _ESCAPE.finditer(text)), None)) is not None:
        raise _explained(text, source, half)
    return value


def _explained(text: str, source: str, fault: ValueError | re.Match[str]) -> PlanError:
    """The error for a fault of the text, or for half a surrogate pair in it."""
    from compiled_plan.plans.text import json_faults  # its patterns load slowly, and only errors need them

    match fault:
        case re.Match():
            return json_faults.half_character(text, source, fault)
        case json.JSONDecodeError():
            return json_faults.syntax_error(text, source, fault)
        case _RepeatedKeyError():
            return json_faults.repetition(text, source)
    return json_faults.long_number(text, source)


_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
#: Escapes of JSON; a pair of surrogates is one.
_ESCAPE = re.compile(r"\\(?:u[dD][89abAB]..\\u[dD][c-fC-F]..|u....|.)")


def _is_half(escape: re.Match[str]) -> bool:
    return len(escape.group()) == 6 and _SURROGATE.match(escape.group()) is not None


def dumps(value: Json) -> str:
    """Print a value as Flink does: two spaces per level, `"key" : value`, lists on the line they start.

    Lines deeper than `_INDENTED` levels have no indentation, or the text would grow with the square of the depth.
    """
    parts: list[str] = []
    put = parts.append
    # Stack of texts to write, and of values with the level of their first line.
    waiting: list[str | tuple[Json, int]] = [(value, 0)]
    while waiting:
        piece = waiting.pop()
        if isinstance(piece, str):
            put(piece)
            continue
        item, level = piece
        if isinstance(item, str):
            put(_string(item))
        elif isinstance(item, dict) and item:
            inner = _MARGINS[level + 1] if level < _INDENTED else ""
            waiting.append(f"\n{_MARGINS[level] if level <= _INDENTED else ''}}}")
            for key, child in reversed(item.items()):
                waiting += ((child, level + 1), f",\n{inner}{_string(key)} : ")
            waiting[-1] = f"{{\n{inner}{_string(next(iter(item)))} : "
        elif isinstance(item, list | tuple) and item:
            waiting.append(" ]")
            for child in reversed(item):
                waiting += ((child, level), ", ")
            waiting[-1] = "[ "
        else:
            put(_EMPTY.get(type(item)) or json.dumps(item))
    return "".join(parts)


#: Levels with indentation. Flink's compiler has a stack overflow before reaching so many.
_INDENTED = 500
_MARGINS = tuple("  " * level for level in range(_INDENTED + 1))
#: Flink's text of empty values.
_EMPTY: dict[type, str] = {dict: "{ }", list: "[ ]", tuple: "[ ]"}
_string = json.encoder.encode_basestring
