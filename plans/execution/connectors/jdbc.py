"""The connector `jdbc`: lookups in, scans of, and writes to a table of a database.

Source: Flink's page "JDBC".
"""

from __future__ import annotations

import json

from compiled_plan.plans.connectors.specs.jdbc import SPEC
from compiled_plan.plans.connectors.table_options import Values
from compiled_plan.plans.execution.databases.database import Database
from compiled_plan.plans.execution.databases.dialects import Target, dialect_of
from compiled_plan.plans.execution.databases.scan import scan
from compiled_plan.plans.execution.databases.sink import DatabaseSink
from compiled_plan.plans.execution.interfaces.connectors import (
    LookupTable,
    RowSource,
    SinkContext,
    SourceContext,
    TableSpec,
    lookup_connector,
    sink_connector,
    source_connector,
)
from compiled_plan.plans.execution.spark.types import ddl


@lookup_connector(SPEC)
def lookup(table: LookupTable) -> str:
    """The parameters of a table for the kernel's LookupTable."""
    options = SPEC.values(table.options)
    url = options.text("url")
    # Flink's dialects leave the case of names alone in databases that do not quote by default.
    dialect = dialect_of(url)
    names = [dialect.written(name) for name in table.columns.names]
    wanted = " AND ".join(f"{names[at]} = ?" for at in table.keys)
    description = {
        "url": url,
        "driver": options.get("driver"),
        "user": options.get("username"),
        "password": options.get("password"),
        "query": f"SELECT {', '.join(names)} FROM {dialect.tables(options.text('table-name'))[0]} WHERE {wanted}",
        "values": dialect.values,
        "types": [ddl(type_) for type_ in table.columns.types],
        "retries": options.number("lookup.max-retries"),
        "timeout": options.number("connection.max-retry-timeout") // 1000,
        "missRetries": table.miss_retries,
        "missDelay": table.miss_delay,
        "cache": _cache(options),
    }
    return json.dumps(description)


def _cache(options: Values) -> dict[str, object] | None:
    """The limits of the cache; None without a cache. The older options enable it by themselves."""
    older = {"lookup.cache.max-rows", "lookup.cache.ttl"} <= options.explicit.keys()
    if options.text("lookup.cache") != "PARTIAL" and not older:
        return None
    limits = {
        "maxRows": options.get("lookup.partial-cache.max-rows"),
        "expireAfterWrite": options.get("lookup.partial-cache.expire-after-write"),
        "expireAfterAccess": options.get("lookup.partial-cache.expire-after-access"),
    }
    return {name: limit for name, limit in limits.items() if limit is not None} | {
        "missing": options.flag("lookup.partial-cache.cache-missing-key")
    }


@sink_connector(SPEC)
def sink(table: TableSpec, context: SinkContext) -> DatabaseSink:
    """Write a table of a database. Look the table up first, waiting for a database that is down.

    Raises:
        DataError: there is no such table or column.
        ExecutionError: the database does not answer.
    """
    database = Database(context.spark._jvm, table.identifier, SPEC.values(table.options))
    columns = tuple(table.columns.names)
    target = database.find(columns, table.primary_key) if context.writes else Target("", columns)
    return DatabaseSink(table, database, target, context.run_id)


@source_connector(SPEC)
def source(table: TableSpec, context: SourceContext) -> RowSource:
    """Read a table of a database. Look the table up first, waiting for a database that is down.

    Raises:
        DataError: there is no such table or column.
        ExecutionError: the database does not answer.
    """
    return scan(table, Database(context.spark._jvm, table.identifier, SPEC.values(table.options)), context)
