"""The plans of Flink's restore tests, completed with the table options that Flink takes from its catalog."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any


def filled(text: str, options: Mapping[str, Mapping[str, str]]) -> str:
    """A plan whose tables have options, as far as these are known."""
    plan = json.loads(text)
    for table in _tables(plan):
        *_, name = re.findall(r"`([^`]+)`", table["identifier"])
        if name in options:
            table["resolvedTable"]["options"] = dict(options[name])
    return json.dumps(plan, indent=1)


def _tables(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        if "resolvedTable" in value and "identifier" in value:
            yield value
        for item in value.values():
            yield from _tables(item)
    elif isinstance(value, list):
        for item in value:
            yield from _tables(item)
