"""Schemas of declared tables: expressions bound, types and references checked.

CREATE TABLE, LIKE and ALTER TABLE draft a schema; `resolve` binds all its expressions, so that an expression that was
declared earlier follows the columns it refers to.

Source: Flink's "CREATE Statements" page; `DefaultSchemaResolver` of Flink 2.3 for the checks.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from compiled_plan.planner.catalog.tables import CatalogTable, Column, ColumnKind, Watermark
from compiled_plan.planner.diagnostics.suggestions import did_you_mean
from compiled_plan.planner.sql import nodes as ast
from compiled_plan.planner.sql.binding.core import Binder, Context
from compiled_plan.planner.sql.binding.expressions import bind_value
from compiled_plan.planner.sql.binding.scopes import Relation, Scope, columns_of
from compiled_plan.planner.sql.binding.source import SourceText
from compiled_plan.planner.sql.binding.types import bind_type
from compiled_plan.planner.sql.binding.unparse import unparse
from compiled_plan.planner.sql.nodes import statements as st
from compiled_plan.plans.errors import CompiledPlanError, ProgramError
from compiled_plan.plans.rex import RexNode, type_of
from compiled_plan.plans.types import LogicalType, TimestampLtzType, TimestampType, row_of
from compiled_plan.plans.types.temporal import is_proctime

#: The type of a computed column that is not resolved yet.
UNRESOLVED = LogicalType()
KIND_NAMES = {ColumnKind.PHYSICAL: "regular", ColumnKind.COMPUTED: "computed", ColumnKind.METADATA: "metadata"}


@dataclass(frozen=True)
class Formula:
    """An expression of a declaration.

    Args:
        tree: the expression.
        source: the text that it points into.
        stored: its SQL text if an earlier statement declared it.
    """

    tree: ast.Expression
    source: SourceText
    stored: str = ""


def _stored(formula: object, sql: str) -> Formula:
    assert isinstance(formula, Formula)
    return replace(formula, stored=sql)


@dataclass(frozen=True)
class WatermarkDraft:
    """WATERMARK FOR `rowtime` AS `formula`; `where` is its position in the program."""

    rowtime: str
    formula: Formula
    where: str = ""


@dataclass(frozen=True)
class Draft:
    """A table whose expressions are not bound.

    Args:
        table: the table; `resolve` replaces its watermarks, and the types and expressions of its computed columns.
        formulas: the expressions of its computed columns.
        watermark: its watermark.
        key_place: the position of its primary key in the program.
    """

    table: CatalogTable
    formulas: Mapping[str, Formula] = field(default_factory=dict)
    watermark: WatermarkDraft | None = None
    key_place: str = ""


def draft_of(table: CatalogTable) -> Draft:
    """The draft of a table of the catalog."""
    watermark = next((WatermarkDraft(item.column, _stored(item.formula, item.sql)) for item in table.watermarks), None)
    formulas = {column.name: _stored(column.formula, column.sql) for column in table.columns if column.sql}
    return Draft(table, formulas, watermark)


def draft_watermark(item: st.Watermark, source: SourceText) -> WatermarkDraft:
    """The watermark of a statement."""
    return WatermarkDraft(".".join(item.rowtime), Formula(item.expression, source), source.where_span(item.span))


def draft_column(item: st.ColumnClause, source: SourceText) -> tuple[Column, Formula | None]:
    """The column of a clause, with the expression of a computed one.

    Raises:
        ProgramError: it has no type.
    """
    match item:
        case st.PhysicalClause():
            return Column(item.name, bind_type(item.type, source), comment=item.comment), None
        case st.MetadataClause():
            type_ = bind_type(item.type, source)
            column = Column(item.name, type_, ColumnKind.METADATA, item.comment)
            return replace(column, metadata_key=item.key, virtual=item.virtual), None
        case st.ComputedClause():
            return Column(item.name, UNRESOLVED, ColumnKind.COMPUTED, item.comment), Formula(item.expression, source)
    raise source.error_at(item.span, f"column {item.name!r} has no type", "a name alone is for CREATE TABLE ... AS")


def resolve(binder: Binder, draft: Draft) -> CatalogTable:
    """The table of a draft.

    Raises:
        ProgramError: columns, keys or watermarks that do not fit together.
    """
    return _Schema(binder, draft).table()


class _Schema:
    def __init__(self, binder: Binder, draft: Draft) -> None:
        self._binder = binder
        self._draft = draft
        self._declared = draft.table

    def table(self) -> CatalogTable:
        self._check_key()
        key = self._declared.primary_key
        columns = self._computed(
            tuple(replace(one, type=one.type.not_null()) if one.name in key else one for one in self._declared.columns)
        )
        self._check_partitions(columns)
        self._check_distribution(columns)
        return replace(self._declared, columns=columns, watermarks=self._watermarks(columns))

    # --- keys

    def _check_key(self) -> None:
        table, where = self._declared, self._draft.key_place
        known = {column.name: column for column in table.columns}
        for at, name in enumerate(table.primary_key):
            column = known.get(name)
            if column is None:
                remedy = did_you_mean(name, known)
                raise ProgramError(
                    f"primary key column {name!r} is not defined in the schema", where=where, remedy=remedy
                )
            if column.kind is not ColumnKind.PHYSICAL:
                raise ProgramError(
                    f"primary key column {name!r} is {KIND_NAMES[column.kind]}",
                    where=where,
                    remedy="a primary key is declared on physical columns",
                )
            if name in table.primary_key[:at]:
                raise ProgramError(f"primary key names column {name!r} twice", where=where, remedy="name it once")

    def _check_partitions(self, columns: tuple[Column, ...]) -> None:
        known = [column.name for column in columns if column.kind is ColumnKind.PHYSICAL]
        for name in self._declared.partition_keys:
            if name not in known:
                raise ProgramError(
                    f"partition column {name!r} not defined in the table schema", remedy=did_you_mean(name, known)
                )

    def _check_distribution(self, columns: tuple[Column, ...]) -> None:
        declared = self._declared.distribution
        if declared is None:
            return
        known = [column.name for column in columns if column.kind is ColumnKind.PHYSICAL]
        for name in declared.columns:
            if name not in known:
                raise ProgramError(
                    f"bucket key {name!r} is no physical column of the table",
                    remedy=did_you_mean(name, known, f"columns: {', '.join(known)}"),
                )
        if declared.buckets is not None and declared.buckets < 1:
            raise ProgramError(f"a table has at least 1 bucket, not {declared.buckets}", remedy="INTO 1 BUCKETS")

    # --- expressions

    def _computed(self, columns: tuple[Column, ...]) -> tuple[Column, ...]:
        """The columns with computed ones bound over the others."""
        formulas = self._draft.formulas
        if not formulas:
            return columns
        context = self._context((one for one in columns if one.kind is not ColumnKind.COMPUTED), "a computed column")
        computed = [column.name for column in columns if column.kind is ColumnKind.COMPUTED]

        def bound(column: Column) -> Column:
            formula = formulas[column.name]
            with _placed(formula, f"computed column {column.name!r}"):
                formula.source.refuse_queries(formula.tree, "a computed column")
                try:
                    rex = self._bind(formula, context)
                except CompiledPlanError as fault:
                    named = next((name for name in computed if f"column {name!r} not found" in fault.message), None)
                    if named is None:
                        raise
                    raise type(fault)(
                        f"computed column {column.name!r} refers to {named!r}, which is computed too",
                        where=fault.where,
                        remedy="a computed column may use physical and metadata columns; repeat the expression",
                    ) from None
            return replace(
                column, type=type_of(rex), expression=rex, sql=unparse(formula.tree, formula.source), formula=formula
            )

        return tuple(bound(column) if column.kind is ColumnKind.COMPUTED else column for column in columns)

    def _watermarks(self, columns: tuple[Column, ...]) -> tuple[Watermark, ...]:
        draft = self._draft.watermark
        if draft is None:
            return ()
        name, formula, where = draft.rowtime, draft.formula, draft.where
        column = next((candidate for candidate in columns if candidate.name == name), None)
        if column is None:
            remedy = did_you_mean(name, [one.name for one in columns])
            raise ProgramError(
                f"the watermark's column {name!r} is not defined in the table", where=where, remedy=remedy
            )
        _check_time(where, f"watermark column {name!r}", column.type)
        if is_proctime(column.type):
            raise ProgramError(
                f"column {name!r} is a processing time, which has no watermark",
                where=where,
                remedy="leave WATERMARK out",
            )
        with _placed(formula, "the watermark's expression"):
            formula.source.refuse_queries(formula.tree, "a watermark")
            rex = self._bind(formula, self._context(columns, "a watermark"))
        _check_time(where, "the watermark's expression", type_of(rex))
        return (Watermark(name, rex, unparse(formula.tree, formula.source), formula),)

    def _bind(self, formula: Formula, context: Context) -> RexNode:
        return bind_value(replace(self._binder, source=formula.source), formula.tree, context)

    def _context(self, columns: Iterable[Column], clause: str) -> Context:
        items = list(columns)
        row = row_of([column.name for column in items], [column.type for column in items])
        names = columns_of(row.names)
        relation = Relation((self._declared.identifier.name,), names)
        return Context(Scope((relation,), names, row, None, self._binder.names.correlation()), clause=clause)


@contextmanager
def _placed(formula: Formula, owner: str) -> Iterator[None]:
    """Name the owner of an earlier expression in errors, since the program does not show it here."""
    try:
        yield
    except CompiledPlanError as fault:
        if not formula.stored:
            raise
        raise type(fault)(
            f"{owner} is declared as {formula.stored}, which no longer fits: {fault.message}",
            remedy="change or drop it in the same statement or before",
        ) from None


def _check_time(where: str, column: str, type_: LogicalType) -> None:
    if not isinstance(type_, TimestampType | TimestampLtzType) or type_.precision > 3:
        raise ProgramError(
            f"{column} must be of type TIMESTAMP(p) or TIMESTAMP_LTZ(p) with p from 0 to 3, not {type_}",
            where=where,
            remedy="declare the column as TIMESTAMP(3) or TIMESTAMP_LTZ(3), or compute such a column",
        )
