"""JSON Schemas of the plan file and of the commands' JSON output."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

#: Names of the schemas of the plan file, of `diff-plan --json`, of `inspect-state --json`, of tests, of
#: `import-state --json`, and of `export-state --json`.
PLAN, DIFF, STATE, TEST, IMPORT, EXPORT = "compiled-plan", "plan-diff", "state", "plan-test", "import", "export"


def schema_path(name: str = PLAN) -> Path:
    """The path of a schema file."""
    return Path(__file__).with_name(f"{name}.schema.json")


@cache
def load(name: str = PLAN) -> dict[str, object]:
    """Load a schema as JSON values, which must not be modified."""
    schema: dict[str, object] = json.loads(schema_path(name).read_text(encoding="utf-8"))
    return schema
