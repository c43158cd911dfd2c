"""The JSON Schema of the plan file."""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path
from typing import Any


def schema_path() -> Path:
    """Where the schema file is."""
    return Path(__file__).with_name("compiled-plan.schema.json")


@lru_cache(maxsize=1)
def load() -> dict[str, Any]:
    """The schema as JSON values; do not change them."""
    found: dict[str, Any] = json.loads(schema_path().read_text(encoding="utf-8"))
    return found
