"""The corpus of secrets: `spellings.json` has options, programs and texts in which `5ecret` is secret."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

SPELLINGS: dict[str, Any] = json.loads(Path(__file__).with_name("spellings.json").read_text(encoding="utf-8"))
OPTIONS: list[tuple[str, str]] = [(key, value) for key, value in SPELLINGS["options"]]
URLS = [value for key, value in OPTIONS if key == "url"]


def leaks(text: str) -> bool:
    """Return True if a secret of the corpus is readable, also in the encoding of HTTP credentials."""
    return "5ecret" in text or "dTo1ZWNyZXQ" in text
