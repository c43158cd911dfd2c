"""Names of tables in OpenLineage: a namespace, which identifies the system, and a name in it.

Source: OpenLineage's page "Naming Conventions".
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from compiled_plan.plans.errors import ProgramError
from compiled_plan.plans.nodes.tables import CatalogTable
from compiled_plan.plans.text.hadoop_paths import hadoop_path
from compiled_plan.plans.text.masking import masked_url

#: The namespace of jobs, and of tables without a system of their own.
NAMESPACE = "compiled-plan"
_JDBC = re.compile(r"jdbc:(?P<system>[a-z0-9]+)://(?P<hosts>[^/?;]*)/?(?P<database>[^?;]*)", re.IGNORECASE)
_SYSTEMS = {"postgresql": ("postgres", 5432), "mysql": ("mysql", 3306), "mariadb": ("mysql", 3306)}


class Dataset(NamedTuple):
    """A table's identity in OpenLineage."""

    namespace: str
    name: str


def dataset_of(table: CatalogTable) -> Dataset:
    """The identity of a table, without names or passwords of users."""
    options = table.options
    connector = options.get("connector", "")
    if connector == "filesystem":
        dataset = _of_path(options.get("path", ""))
        if dataset is not None:
            return dataset
    if connector in ("kafka", "upsert-kafka"):
        broker = options.get("properties.bootstrap.servers", "").split(",")[0].strip()
        return Dataset(f"kafka://{broker}", options.get("topic") or options.get("topic-pattern", ""))
    if connector == "jdbc":
        dataset = _of_jdbc(options)
        if dataset is not None:
            return dataset
    return Dataset(NAMESPACE, ".".join(table.path))


def _of_path(text: str) -> Dataset | None:
    try:
        path = hadoop_path(text)
    except ProgramError:
        return None
    if path.is_local:
        return Dataset("file", str(Path(path.path).absolute()))
    place = path.authority if path.scheme == "abfss" else path.authority.rpartition("@")[2]
    name = path.path if path.scheme in ("hdfs", "webhdfs") else path.path.strip("/") or "/"
    scheme = {"s3a": "s3", "s3n": "s3"}.get(path.scheme, path.scheme)
    return Dataset(f"{scheme}://{place}", name)


def _of_jdbc(options: Mapping[str, str]) -> Dataset | None:
    match = _JDBC.match(masked_url(options.get("url", "")))
    if match is None:
        return None
    system, port = _SYSTEMS.get(match["system"].lower(), (match["system"].lower(), 0))
    host = match["hosts"].split(",")[0].rpartition("@")[2]
    host += f":{port}" if port and ":" not in host else ""
    table = options.get("table-name", "")
    if system == "postgres" and "." not in table:
        table = f"public.{table}"
    return Dataset(f"{system}://{host}", f"{match['database'].strip('/')}.{table}".lstrip("."))
