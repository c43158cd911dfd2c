"""Small programs in relational algebra."""

from __future__ import annotations

from compiled_plan.planner.algebra.kinds import JoinKind
from compiled_plan.planner.algebra.nodes import Aggregate, AggregateCall, Join, Project, RelNode, Scan, Sink
from compiled_plan.planner.catalog.tables import CatalogTable, Column, ColumnKind, ObjectIdentifier
from compiled_plan.plans.rex import Call, InputRef, RexNode
from compiled_plan.plans.types import BIGINT, BOOLEAN, LogicalType, row_of


def table(
    name: str,
    format_: str = "json",
    key: tuple[str, ...] = (),
    /,
    connector: str = "filesystem",
    **columns: LogicalType,
) -> CatalogTable:
    options: tuple[tuple[str, str], ...] = (("connector", connector),)
    if connector == "filesystem":
        options += (("format", format_), ("path", f"/data/{name}"))
    return CatalogTable(
        ObjectIdentifier("default_catalog", "default_database", name),
        tuple(Column(column, type_.not_null() if column in key else type_) for column, type_ in columns.items()),
        options,
        primary_key=key,
    )


def scan(source: CatalogTable, alias: str = "") -> Scan:
    physical = [column for column in source.columns if column.kind is not ColumnKind.COMPUTED]
    row = row_of(tuple(column.name for column in physical), tuple(column.type for column in physical))
    return Scan(row, source, alias)


def ref(rel: RelNode, name: str) -> InputRef:
    index = rel.row_type.names.index(name)
    return InputRef(index, rel.row_type.types[index])


def call(name: str, *operands: RexNode, type_: LogicalType = BOOLEAN) -> Call:
    return Call(f"${name}$1", operands, type_, "BINARY")


def join(left: RelNode, right: RelNode, left_key: str, right_key: str, kind: JoinKind = JoinKind.INNER) -> Join:
    mine, theirs = ref(left, left_key), ref(right, right_key)
    moved = InputRef(theirs.index + len(left.row_type.fields), theirs.type)
    return Join(left, right, kind, call("=", mine, moved))


def project(rel: RelNode, *names: str) -> Project:
    exprs = tuple(ref(rel, name) for name in names)
    return Project(rel, exprs, row_of(names, tuple(rex.type for rex in exprs)))


def count_by(rel: RelNode, *names: str) -> Aggregate:
    keys = tuple(rel.row_type.names.index(name) for name in names)
    count = AggregateCall("$COUNT$1", (), BIGINT.not_null(), "n", syntax="FUNCTION_STAR")
    types = (*(rel.row_type.types[key] for key in keys), BIGINT.not_null())
    return Aggregate(rel, keys, (count,), row_of((*names, "n"), types))


def into(rel: RelNode, format_: str = "debezium-json", key: tuple[str, ...] = (), **options: str) -> Sink:
    columns = dict(zip(rel.row_type.names, rel.row_type.types, strict=True))
    return Sink(rel, table("sink", format_, key, **options, **columns))  # type: ignore[arg-type]
