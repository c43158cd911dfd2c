"""The entry for SchemaStore's catalogue: its form, and the schema that it describes."""

from __future__ import annotations

import json
from typing import Any

from compiled_plan.schemas import schema_path

CATALOG: dict[str, Any] = json.loads(schema_path().with_name("catalog.json").read_text(encoding="utf-8"))


def test_the_form_of_the_catalogue() -> None:
    assert CATALOG["$schema"] == "https://json.schemastore.org/schema-catalog.json"
    assert set(CATALOG) == {"$schema", "version", "schemas"} and isinstance(CATALOG["version"], int)
    for entry in CATALOG["schemas"]:
        assert set(entry) == {"name", "description", "fileMatch", "url"}
        assert entry["url"].startswith("https://") and all(pattern.startswith("*.") for pattern in entry["fileMatch"])


def test_every_entry_is_a_schema_here() -> None:
    names = [entry["url"].rpartition("/")[2].removesuffix(".json") for entry in CATALOG["schemas"]]
    assert names and all(schema_path(name).is_file() for name in names)
