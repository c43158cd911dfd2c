"""Catalogs of Apache Iceberg: the folders of a `hadoop` catalog, and REST servers.

Sources: Iceberg's specification, for the metadata of a table and the names of its files; "Spark Writes", for the types
in Spark.
"""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Mapping
from typing import Any

from compiled_plan.plans.errors import UnsupportedError
from compiled_plan.plans.lakes.folders import LakeFolder
from compiled_plan.plans.lakes.lake import Lake, LakeSchema
from compiled_plan.plans.lakes.rest import RestClient

_METADATA = "metadata"
#: The metadata files of a `hadoop` catalog, whose highest version is in force.
_FILE = re.compile(r"v(\d+)(?:\.gz)?\.metadata\.json(?:\.gz)?")
#: Types in Spark by the names of Iceberg's.
_IN_SPARK: Mapping[str, str] = {
    "boolean": "boolean",
    "int": "integer",
    "long": "long",
    "float": "float",
    "double": "double",
    "date": "date",
    "timestamp": "timestamp_ntz",
    "timestamptz": "timestamp",
    "string": "string",
    "uuid": "string",
    "binary": "binary",
    "variant": "variant",
}


class HadoopLake(Lake):
    """A `hadoop` catalog: a folder for each database, and one in it for each table."""

    def __init__(self, folder: LakeFolder) -> None:
        self._folder = folder

    def databases(self) -> list[str]:
        return self._folder.folders()

    def has_database(self, name: str) -> bool:
        return self._folder.holds(_path(name))

    def tables(self, database: str) -> list[str]:
        names = self._folder.folders(_path(database))
        return [name for name in names if self._newest(database, name) is not None]

    def schema(self, database: str, table: str) -> LakeSchema | None:
        newest = self._newest(database, table)
        if newest is None:
            return None
        data = self._folder.read(newest)
        try:
            return schema_of(json.loads(gzip.decompress(data) if ".gz" in newest else data))
        except (KeyError, TypeError, ValueError, OSError, EOFError) as fault:
            raise self._folder.malformed(newest, fault) from None

    def _newest(self, database: str, table: str) -> str | None:
        folder = f"{_path(database)}/{table}/{_METADATA}"
        versions = {int(match[1]): match[0] for name in self._folder.names(folder) if (match := _FILE.fullmatch(name))}
        return f"{folder}/{versions[max(versions)]}" if versions else None


class RestLake(Lake):
    """A `rest` catalog."""

    def __init__(self, client: RestClient) -> None:
        self._client = client

    def databases(self) -> list[str]:
        return list(self._client.namespaces())

    def has_database(self, name: str) -> bool:
        return self._client.has_namespace(name)

    def tables(self, database: str) -> list[str]:
        return list(self._client.tables(database))

    def schema(self, database: str, table: str) -> LakeSchema | None:
        try:
            metadata = self._client.metadata(database, table)
            return None if metadata is None else schema_of(metadata)
        except (KeyError, TypeError, ValueError) as fault:
            raise self._client.fault(f"metadata of table {database}.{table}: {type(fault).__name__}: {fault}") from None


def schema_of(metadata: Mapping[str, Any]) -> LakeSchema:
    """The current schema of a table's metadata.

    Raises:
        UnsupportedError: a column has no type in Spark; names it.
    """
    # The first version of the format may have the current schema and partitions alone.
    schemas = {schema["schema-id"]: schema for schema in metadata.get("schemas") or ()}
    schema = schemas[metadata["current-schema-id"]] if schemas else metadata["schema"]
    specs = {spec["spec-id"]: spec["fields"] for spec in metadata.get("partition-specs") or ()}
    partitions = specs[metadata["default-spec-id"]] if specs else metadata.get("partition-spec") or []
    names = {field["id"]: field["name"] for field in schema["fields"]}
    keys = tuple(names.get(id_, "") for id_ in schema.get("identifier-field-ids") or ())
    # As in Iceberg's connector for Flink, a table with another transform has no partition keys.
    identical = all(part["transform"] == "identity" and part["source-id"] in names for part in partitions)
    return LakeSchema(
        _struct(schema),
        keys if all(keys) else (),
        tuple(names[part["source-id"]] for part in partitions) if identical else (),
    )


def _struct(struct: Mapping[str, Any], column: str = "") -> dict[str, object]:
    return {
        "type": "struct",
        "fields": [
            {
                "name": field["name"],
                "type": _in_spark(field["type"], column or field["name"]),
                "nullable": not field["required"],
            }
            for field in struct["fields"]
        ],
    }


def _in_spark(type_: Any, column: str) -> object:
    """A type in the JSON form of Spark's types."""
    if isinstance(type_, dict):
        match type_["type"]:
            case "list":
                element = _in_spark(type_["element"], column)
                return {"type": "array", "elementType": element, "containsNull": not type_["element-required"]}
            case "map":
                key, value = _in_spark(type_["key"], column), _in_spark(type_["value"], column)
                nulls = not type_["value-required"]
                return {"type": "map", "keyType": key, "valueType": value, "valueContainsNull": nulls}
        return _struct(type_, column)
    if type_.startswith("decimal("):
        return type_
    spark = "binary" if type_.startswith("fixed[") else _IN_SPARK.get(type_)
    if spark is None:
        raise UnsupportedError(f"column {column!r} has Iceberg's type {type_}, which Spark does not have")
    return spark


def _parts(database: str) -> tuple[str, ...]:
    return tuple(database.split("."))


def _path(database: str) -> str:
    return "/".join(_parts(database))
