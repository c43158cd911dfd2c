"""Options that reach outside and options that do not, as data: `escapes.json`. `{data}` is the allowed folder."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

_ALL: dict[str, Any] = json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8"))
_KAFKA = {"connector": "kafka", "topic": "t", "properties.bootstrap.servers": "h:1", "format": "json"}


def _tables(start: str) -> list[dict[str, str]]:
    database = {"connector": "jdbc", "table-name": "t"}
    return [
        *({**database, "url": url.replace("{{", "{").replace("}}", "}")} for url in _ALL[f"{start}urls"]),
        *({**_KAFKA, f"properties.{key}": value} for key, value in _ALL[f"{start}settings"]),
        *_ALL[f"{start}tables"],
    ]


#: Options of tables.
HARMLESS, ESCAPING = _tables(""), _tables("escaping_")


def within(options: dict[str, str], data: str) -> dict[str, str]:
    """The options with the allowed folder."""
    return {key: value.replace("{data}", data) for key, value in options.items()}
