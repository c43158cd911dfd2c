"""JSON text in the style in which Flink writes plans (Jackson's default pretty printer)."""

from __future__ import annotations

import json
from typing import Any

from plans.errors import PlanError

Json = Any


def loads(text: str, source: str = "") -> Json:
    """Parse JSON.

    Args:
        text: the JSON.
        source: name of the file, for errors.

    Raises:
        PlanError: not JSON, with line and column.
    """
    try:
        return json.loads(text.removeprefix("\ufeff"))
    except json.JSONDecodeError as fault:
        place = f"line {fault.lineno}, column {fault.colno}"
        raise PlanError(
            f"not JSON: {fault.msg[:1].lower()}{fault.msg[1:]}",
            where=f"{source}, {place}" if source else place,
            remedy="restore the file, or compile the plan again",
        ) from None
    except RecursionError:
        raise PlanError("not a plan: the JSON is nested too deeply", where=source) from None


def dumps(value: Json) -> str:
    """The value as Flink prints it: two spaces a level, `"key" : value`, lists on the line they start."""
    parts: list[str] = []
    _write(value, "", parts.append)
    return "".join(parts)


def _write(value: Json, indent: str, put: Any) -> None:
    if isinstance(value, dict):
        if not value:
            put("{ }")
            return
        inner = indent + "  "
        lead = "{\n"
        for key, item in value.items():
            put(f"{lead}{inner}{_string(key)} : ")
            _write(item, inner, put)
            lead = ",\n"
        put(f"\n{indent}}}")
    elif isinstance(value, list | tuple):
        lead = "[ "
        for item in value:
            put(lead)
            _write(item, indent, put)
            lead = ", "
        put(" ]" if value else "[ ]")
    elif isinstance(value, str):
        put(_string(value))
    else:
        put(json.dumps(value))


def _string(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
