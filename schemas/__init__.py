"""The JSON Schemas of the plan file and of what commands print."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

#: The plan file's, that of `diff-plan --json`, and that of `inspect-state --json`.
PLAN, DIFF, STATE = "compiled-plan", "plan-diff", "state"


def schema_path(name: str = PLAN) -> Path:
    """Where the file of a schema is."""
    return Path(__file__).with_name(f"{name}.schema.json")


@cache
def load(name: str = PLAN) -> dict[str, Any]:
    """A schema as JSON values; do not change them."""
    schema: dict[str, Any] = json.loads(schema_path(name).read_text(encoding="utf-8"))
    return schema
