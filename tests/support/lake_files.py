"""Files of tables of lakes, as their formats specify them, without a library."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any


def iceberg_metadata(
    fields: Sequence[Mapping[str, Any]],
    identifiers: Sequence[int] = (),
    partitions: Sequence[tuple[int, str]] = (),
) -> dict[str, Any]:
    """The metadata of a table of Iceberg's second version; an older schema precedes the current one.

    Args:
        fields: the columns: `id`, `name`, `type`, and `required` unless it is false.
        identifiers: the ids of the identifier fields.
        partitions: the id of a column and its transform, each.
    """
    columns = [{"required": False, **field} for field in fields]
    spec = [
        {"source-id": source, "field-id": 1000 + at, "name": f"p{at}", "transform": transform}
        for at, (source, transform) in enumerate(partitions)
    ]
    return {
        "format-version": 2,
        "current-schema-id": 1,
        "schemas": [
            {"type": "struct", "schema-id": 0, "fields": columns[:1]},
            {"type": "struct", "schema-id": 1, "fields": columns, "identifier-field-ids": list(identifiers)},
        ],
        "default-spec-id": 0,
        "partition-specs": [{"spec-id": 0, "fields": spec}],
        "properties": {},
    }


def hadoop_table(folder: Path, metadata: Mapping[str, Any], version: int = 1) -> None:
    """Write the metadata of a version of a table in a `hadoop` catalog."""
    (folder / "metadata").mkdir(parents=True, exist_ok=True)
    (folder / f"metadata/v{version}.metadata.json").write_text(json.dumps(metadata))
    (folder / "metadata/version-hint.text").write_text(str(version))


def delta_metadata(fields: Mapping[str, Any], partitions: Sequence[str] = (), required: Sequence[str] = ()) -> Any:
    """The action `metaData` of Delta Lake; types are those of Spark in JSON."""
    columns = [
        {"name": name, "type": type_, "nullable": name not in required, "metadata": {}}
        for name, type_ in fields.items()
    ]
    schema = json.dumps({"type": "struct", "fields": columns})
    return {"metaData": {"id": "x", "schemaString": schema, "partitionColumns": list(partitions), "configuration": {}}}


def delta_commit(folder: Path, version: int, *actions: Any) -> None:
    """Write a commit of a table of Delta Lake."""
    (folder / "_delta_log").mkdir(parents=True, exist_ok=True)
    text = "\n".join(map(json.dumps, ({"commitInfo": {}}, *actions)))
    (folder / f"_delta_log/{version:020}.json").write_text(text)
