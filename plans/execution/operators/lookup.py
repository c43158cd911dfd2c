"""Lookup joins: every row asks a database for the rows of its key, over JDBC, with Flink's partial cache.

A row is asked for when it comes, so a batch that is replayed after a crash may find other rows.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pyspark.sql import Column
from pyspark.sql import functions as F

from plans.durations import parse_duration
from plans.execution.connectors.options import check_table
from plans.execution.expressions import to_column
from plans.execution.expressions.functions import java
from plans.execution.operators.base import Exploded, Flow, Lowering, refuse, stateless
from plans.execution.types import ddl
from plans.nodes.lookup import ConstantKey, FieldKey, LookupJoin, LookupKey
from plans.nodes.tables import ProjectPushDown
from plans.rex import Literal
from plans.types import LogicalType, RowType, TimeType

#: Databases whose identifiers are quoted; others take them as they are, as in Flink's dialects.
_QUOTES = {"mysql": "`", "mariadb": "`"}


@dataclass(frozen=True, slots=True)
class _Table:
    """The table that is asked, its columns that are read, and the columns that are compared."""

    options: dict[str, str]
    columns: RowType
    keys: tuple[tuple[int, LookupKey], ...]

    def description(self) -> str:
        """What the kernel's LookupTable needs to know."""
        options = self.options
        quote = _QUOTES.get(options["url"].split(":")[1] if ":" in options["url"] else "", "")
        names = [f"{quote}{name}{quote}" for name in self.columns.names]
        wanted = " AND ".join(f"{names[at]} = ?" for at, _ in self.keys)
        query = f"SELECT {', '.join(names)} FROM {quote}{options['table-name']}{quote} WHERE {wanted}"
        found = {
            "url": options["url"],
            "driver": options.get("driver"),
            "user": options.get("username"),
            "password": options.get("password"),
            "query": query,
            "types": [ddl(type_) for type_ in self.columns.types],
            "retries": int(options.get("lookup.max-retries", "3")),
            "timeout": parse_duration(options.get("connection.max-retry-timeout", "60 s")) // 1000,
            "cache": self._cache(),
        }
        return json.dumps(found)

    def _cache(self) -> dict[str, Any] | None:
        options = self.options
        old = "lookup.cache.max-rows" in options and "lookup.cache.ttl" in options
        if options.get("lookup.cache", "NONE").strip().upper() != "PARTIAL" and not old:
            return None

        def first(*names: str) -> str | None:
            return next((options[name] for name in names if name in options), None)

        rows = first("lookup.partial-cache.max-rows", "lookup.cache.max-rows")
        write = first("lookup.partial-cache.expire-after-write", "lookup.cache.ttl")
        access = options.get("lookup.partial-cache.expire-after-access")
        missing = first("lookup.partial-cache.cache-missing-key", "lookup.cache.caching-missing-key") or "true"
        limits = {
            "maxRows": None if rows is None else int(rows),
            "expireAfterWrite": None if write is None else parse_duration(write),
            "expireAfterAccess": None if access is None else parse_duration(access),
        }
        return {name: limit for name, limit in limits.items() if limit is not None} | {
            "missing": missing.strip().lower() == "true"
        }


def _table(node: LookupJoin) -> _Table:
    """The table of a lookup join.

    Raises:
        UnsupportedError: a connector, option, column type or push-down that lookups do not know.
    """
    source, columns = node.temporal_table.lookup_table_source, node.temporal_table.output_type
    table = source.table.resolved_table
    if table is None:
        raise refuse(
            node, "its table has no schema in the plan", "compile with table.plan.compile.catalog-objects = ALL"
        )
    name, options = ".".join(source.table.path), dict(table.options or {})
    check_table(name, options, columns, reading=True, lookup=True)
    for ability in source.abilities:
        if not isinstance(ability, ProjectPushDown) or any(len(path) > 1 for path in ability.projected_fields):
            raise refuse(node, f"the source ability {ability.type} of table {name}", "compile without that push-down")
    for column in columns.fields:
        if isinstance(column.type, TimeType) or not _is_simple(column.type):
            raise refuse(node, f"column {column.name} of table {name} is {column.type}", "leave it out of the table")
    keys = tuple(sorted((int(at), key) for at, key in node.lookup_keys.items()))
    return _Table(options, columns, keys)


def _is_simple(type_: LogicalType) -> bool:
    return not any(mark in ddl(type_) for mark in ("<", "void"))


@stateless(LookupJoin)
def lookup_join(node: LookupJoin, port: int, flow: Flow, lowering: Lowering) -> Sequence[Exploded]:
    """Flink's LookupJoinRunner."""
    if node.require_upsert_materialize:
        raise refuse(
            node, "a lookup that keeps what it found", "set table.optimizer.non-deterministic-update.strategy to IGNORE"
        )
    context, table = lowering.context(node), _table(node)
    types = table.columns.types
    asked = F.struct(*(_key(key, flow, lowering, node).alias(f"k{at}") for at, (_, key) in enumerate(table.keys)))
    if node.pre_filter_condition is not None:
        asks = F.coalesce(to_column(node.pre_filter_condition, flow.columns, context), F.lit(False))
        asked = F.when(asks, asked)
    shape = RowType(fields=tuple(f.__class__(f"v{at}", f.type) for at, f in enumerate(table.columns.fields)))
    rows = java("lookup_rows", f"array<{ddl(shape)}>", asked, options=(table.description(),))
    exprs = node.projection_on_temporal_table

    def used(row: Column) -> tuple[Column, ...]:
        own = tuple(row.getField(f"v{at}") for at in range(len(types)))
        return own if exprs is None else tuple(to_column(rex, own, context) for rex in exprs)

    def counts(row: Column) -> Column:
        own = tuple(row.getField(f"v{at}") for at in range(len(types)))
        found = F.lit(True)
        if node.filter_on_temporal_table is not None:
            found = to_column(node.filter_on_temporal_table, own, context)
        if node.join_condition is not None:
            found = found & to_column(node.join_condition, (*flow.columns, *used(row)), context)
        return F.coalesce(found, F.lit(False))

    def complete(found: Column) -> Column:
        kept = F.filter(F.coalesce(found, F.array()), counts)
        if node.join_type == "INNER":
            return kept
        nothing = F.transform(F.array(F.lit(1)), lambda _: F.get(found, F.lit(-1)))
        return F.when(F.size(kept) > 0, kept).otherwise(nothing)

    # The rows are bound to a variable, so that the database is asked once.
    made = F.flatten(F.transform(F.array(rows), complete))

    def make(element: Column, position: Column) -> Flow:
        tail = F.to_binary(F.lpad(F.hex(position), 8, "0"), F.lit("hex"))
        path = F.concat(F.coalesce(flow.path, F.lit(b"")), tail)
        columns = tuple(F.when(element.isNotNull(), column) for column in used(element))
        return Flow(flow.kind, flow.ord, path, (*flow.columns, *columns), None, flow.watermark)

    return [Exploded(made, make, flow.condition)]


def _key(key: LookupKey, flow: Flow, lowering: Lowering, node: LookupJoin) -> Column:
    match key:
        case FieldKey():
            return flow.columns[key.index]
        case ConstantKey():
            literal: Literal = key.literal  # type: ignore[assignment]
            return to_column(literal, flow.columns, lowering.context(node))
