"""CREATE TABLE and CREATE VIEW: declarations to catalog objects.

Source: Flink's "CREATE Statements" page, and Flink 2.3 for the order and the restrictions of LIKE.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from compiled_plan.planner.catalog.tables import CatalogTable, CatalogView, Column, ColumnKind, Watermark
from compiled_plan.planner.diagnostics.suggestions import did_you_mean
from compiled_plan.planner.sql.binding.core import Binder, Context
from compiled_plan.planner.sql.binding.expressions import bind_value
from compiled_plan.planner.sql.binding.like import LikeRules, merge_options
from compiled_plan.planner.sql.binding.scopes import Relation, Scope, columns_of
from compiled_plan.planner.sql.binding.types import bind_type
from compiled_plan.planner.sql.binding.unparse import unparse
from compiled_plan.planner.sql.binding.views import ViewQuery, view_query
from compiled_plan.planner.sql.nodes import statements as st
from compiled_plan.planner.sql.nodes.position import Span
from compiled_plan.plans.connectors.held import held_by
from compiled_plan.plans.errors import CompiledPlanError
from compiled_plan.plans.rex import type_of
from compiled_plan.plans.types import LogicalType, TimeKind, TimestampLtzType, TimestampType, row_of


def bind_create_table(binder: Binder, statement: st.CreateTable) -> CatalogTable:
    """The table of a CREATE TABLE, merged with its LIKE.

    Raises:
        ProgramError: columns, keys or watermarks that do not fit together; with line, column and caret.
        UnsupportedError: CREATE TABLE AS, DISTRIBUTED.
    """
    if statement.query is not None:
        raise binder.source.unsupported(
            statement.query, "CREATE TABLE ... AS", "create the table with its columns, then INSERT INTO it"
        )
    if statement.distribution is not None:
        raise binder.source.unsupported_at(statement.span, "DISTRIBUTED", "leave it out")
    declaration = _Declaration(binder, statement)
    return declaration.table()


@dataclass(frozen=True)
class _Base:
    """The base table of LIKE, restricted to the included features."""

    columns: tuple[Column, ...] = ()
    watermarks: tuple[Watermark, ...] = ()
    primary_key: tuple[str, ...] = ()
    primary_key_name: str = ""
    partition_keys: tuple[str, ...] = ()
    options: tuple[tuple[str, str], ...] = ()
    places: Mapping[str, str] = field(default_factory=dict)


class _Declaration:
    """A CREATE TABLE under construction."""

    def __init__(self, binder: Binder, statement: st.CreateTable) -> None:
        self._session = binder
        self._source = binder.source
        self._statement = statement
        self._rules = LikeRules.of(statement.like, binder.source)
        self._base = self._included()

    def table(self) -> CatalogTable:
        columns = self._columns()
        key = self._primary_key(columns)
        columns = self._not_null(columns, key)
        columns = self._computed(columns)
        watermarks = self._watermarks(columns)
        statement = self._statement
        primary = statement.primary_key
        name = (primary.name if primary is not None else self._base.primary_key_name) or ""
        options = merge_options(self._base.options, statement.options, self._rules, self._source)
        return CatalogTable(
            identifier=self._session.catalog.qualify(statement.name),
            columns=columns,
            options=options,
            watermarks=watermarks,
            primary_key=key,
            primary_key_name=name or (f"PK_{'_'.join(key)}" if key else ""),
            partition_keys=self._partitions(columns),
            comment=statement.comment,
            temporary=statement.temporary,
            holds=held_by(dict(options)),
            places={**self._base.places, **self._places()},
        )

    def _places(self) -> dict[str, str]:
        return {key: self._source.where_span(span) for key, span in self._statement.option_spans.items()}

    # --- LIKE

    def _included(self) -> _Base:
        like = self._statement.like
        if like is None:
            return _Base()
        source = self._session.catalog.find(like.source)
        name = self._session.catalog.qualify(like.source)
        if source is None:
            remedy = did_you_mean(like.source[-1], self._session.catalog.names())
            raise self._source.error_at(like.span, f"source table {name} of LIKE not found", remedy)
        if not isinstance(source, CatalogTable):
            raise self._source.error_at(like.span, f"source {name} of LIKE is a view", "name a table")
        rules = self._rules
        included = [
            column
            for column in source.columns
            if column.kind is ColumnKind.PHYSICAL
            or rules.includes("GENERATED" if column.kind is ColumnKind.COMPUTED else "METADATA")
        ]
        return _Base(
            columns=tuple(included),
            watermarks=source.watermarks if rules.includes("WATERMARKS") else (),
            primary_key=source.primary_key if rules.includes("CONSTRAINTS") else (),
            primary_key_name=source.primary_key_name if rules.includes("CONSTRAINTS") else "",
            partition_keys=source.partition_keys if rules.includes("PARTITIONS") else (),
            options=source.options if rules.includes("OPTIONS") else (),
            places=source.places,
        )

    # --- columns

    def _columns(self) -> tuple[Column, ...]:
        """All columns in order, computed ones without their expressions, since their types are unknown yet."""
        columns = {column.name: column for column in self._base.columns}
        declared: set[str] = set()
        for item in self._statement.columns:
            if item.name in declared:
                kind = _KIND_NAMES[_kind(item)]
                raise self._source.error_at(
                    item.span, f"a {kind} column named {item.name!r} already exists in the table", "rename one of them"
                )
            declared.add(item.name)
            self._check_overwrite(item, columns.get(item.name))
            columns[item.name] = self._column(item)
        return tuple(columns.values())

    def _check_overwrite(self, item: st.ColumnClause, base: Column | None) -> None:
        if base is None:
            return
        feature = {ColumnKind.COMPUTED: "GENERATED", ColumnKind.METADATA: "METADATA"}.get(base.kind)
        if feature is None or _kind(item) is not base.kind or not self._rules.overwrites(feature):
            remedy = f"write OVERWRITING {feature} or EXCLUDING {feature} in LIKE" if feature else "rename it"
            raise self._source.error_at(
                item.span, f"a column named {item.name!r} already exists in the base table", remedy
            )

    def _column(self, item: st.ColumnClause) -> Column:
        match item:
            case st.PhysicalColumn():
                return Column(item.name, bind_type(item.type, self._source), comment=item.comment)
            case st.MetadataColumn():
                return Column(
                    item.name,
                    bind_type(item.type, self._source),
                    ColumnKind.METADATA,
                    item.comment,
                    metadata_key=item.key,
                    virtual=item.virtual,
                )
            case st.ComputedColumn():
                return Column(item.name, _UNKNOWN, ColumnKind.COMPUTED, item.comment)
        raise self._source.error_at(
            item.span, f"column {item.name!r} has no type", "a name alone is for CREATE TABLE ... AS"
        )

    def _computed(self, columns: tuple[Column, ...]) -> tuple[Column, ...]:
        """The columns with computed ones bound over the others."""
        written = {item.name: item for item in self._statement.columns if isinstance(item, st.ComputedColumn)}
        plain = [column for column in columns if column.kind is not ColumnKind.COMPUTED]
        context = self._context(plain, "a computed column")

        def bound(column: Column) -> Column:
            item = written.get(column.name)
            if item is None or column.kind is not ColumnKind.COMPUTED:
                return column
            computed = [column.name for column in columns if column.kind is ColumnKind.COMPUTED]
            self._source.refuse_queries(item.expression, "a computed column")
            try:
                rex = bind_value(self._session, item.expression, context)
            except CompiledPlanError as fault:
                named = next((name for name in computed if f"column {name!r} not found" in fault.message), None)
                if named is None:
                    raise
                raise type(fault)(
                    f"computed column {column.name!r} refers to {named!r}, which is computed too",
                    where=fault.where,
                    remedy="a computed column may use physical and metadata columns; repeat the expression",
                ) from None
            sql = unparse(item.expression, self._source)
            return replace(column, type=type_of(rex), expression=rex, sql=sql)

        return tuple(bound(column) for column in columns)

    def _context(self, columns: Iterable[Column], clause: str) -> Context:
        items = list(columns)
        row = row_of([column.name for column in items], [column.type for column in items])
        names = columns_of(row.names)
        relation = Relation((self._statement.name[-1],), names)
        return Context(Scope((relation,), names, row, None, self._session.names.correlation()), clause=clause)

    # --- keys

    def _primary_key(self, columns: tuple[Column, ...]) -> tuple[str, ...]:
        key = self._statement.primary_key
        if key is None:
            return self._base.primary_key
        if self._base.primary_key:
            raise self._source.error_at(
                key.span, "the base table already has a primary key", "write EXCLUDING CONSTRAINTS in LIKE"
            )
        known = {column.name: column for column in columns}
        base = {column.name for column in self._base.columns}
        for at, name in enumerate(key.columns):
            column = known.get(name)
            if column is None:
                raise self._source.error_at(
                    key.span, f"primary key column {name!r} is not defined in the schema", did_you_mean(name, known)
                )
            if column.kind is not ColumnKind.PHYSICAL:
                raise self._source.error_at(
                    key.span,
                    f"primary key column {name!r} is {_KIND_NAMES[column.kind]}",
                    "a primary key is declared on physical columns",
                )
            if name in key.columns[:at]:
                raise self._source.error_at(key.span, f"primary key names column {name!r} twice", "name it once")
            if name in base and column.type.nullable:
                raise self._source.error_at(
                    key.span, f"primary key column {name!r} is nullable in the base table", "declare it NOT NULL there"
                )
        return key.columns

    def _not_null(self, columns: tuple[Column, ...], key: tuple[str, ...]) -> tuple[Column, ...]:
        return tuple(
            replace(column, type=column.type.not_null()) if column.name in key else column for column in columns
        )

    def _partitions(self, columns: tuple[Column, ...]) -> tuple[str, ...]:
        keys = self._statement.partitioned_by
        if keys and self._base.partition_keys:
            raise self._source.error_at(
                self._statement.span, "the base table already has partitions", "write EXCLUDING PARTITIONS in LIKE"
            )
        known = [column.name for column in columns if column.kind is ColumnKind.PHYSICAL]
        for name in keys:
            if name not in known:
                raise self._source.error_at(
                    self._statement.span,
                    f"partition column {name!r} not defined in the table schema",
                    did_you_mean(name, known),
                )
        return keys or self._base.partition_keys

    # --- watermarks

    def _watermarks(self, columns: tuple[Column, ...]) -> tuple[Watermark, ...]:
        declared = self._statement.watermarks
        if len(declared) > 1:
            raise self._source.error_at(declared[1].span, "a table can have one WATERMARK only", "remove one of them")
        if not declared:
            return self._base.watermarks
        item = declared[0]
        if self._base.watermarks and not self._rules.overwrites("WATERMARKS"):
            raise self._source.error_at(
                item.span,
                "the base table already has a watermark",
                "write EXCLUDING WATERMARKS or OVERWRITING WATERMARKS in LIKE",
            )
        return (self._watermark(item, columns),)

    def _watermark(self, item: st.Watermark, columns: tuple[Column, ...]) -> Watermark:
        name = ".".join(item.rowtime)
        column = next((candidate for candidate in columns if (candidate.name,) == item.rowtime), None)
        if column is None:
            known = [column.name for column in columns]
            raise self._source.error_at(
                item.span, f"the watermark's column {name!r} is not defined in the table", did_you_mean(name, known)
            )
        self._check_time(item.span, f"watermark column {name!r}", column.type)
        if isinstance(column.type, TimestampLtzType) and column.type.kind is TimeKind.PROCTIME:
            raise self._source.error_at(
                item.span, f"column {name!r} is a processing time, which has no watermark", "leave WATERMARK out"
            )
        context = self._context(columns, "a watermark")
        self._source.refuse_queries(item.expression, "a watermark")
        rex = bind_value(self._session, item.expression, context)
        self._check_time(item.span, "the watermark's expression", type_of(rex))
        return Watermark(name, rex, unparse(item.expression, self._source))

    def _check_time(self, span: Span, column: str, type_: LogicalType) -> None:
        if not isinstance(type_, TimestampType | TimestampLtzType) or type_.precision > 3:
            raise self._source.error_at(
                span,
                f"{column} must be of type TIMESTAMP(p) or TIMESTAMP_LTZ(p) with p from 0 to 3, not {type_}",
                "declare the column as TIMESTAMP(3) or TIMESTAMP_LTZ(3), or compute such a column",
            )


_UNKNOWN = LogicalType()
_KIND_NAMES = {ColumnKind.PHYSICAL: "regular", ColumnKind.COMPUTED: "computed", ColumnKind.METADATA: "metadata"}


def _kind(item: st.ColumnClause) -> ColumnKind:
    if isinstance(item, st.ComputedColumn):
        return ColumnKind.COMPUTED
    return ColumnKind.METADATA if isinstance(item, st.MetadataColumn) else ColumnKind.PHYSICAL


def bind_create_view(binder: Binder, statement: st.CreateView) -> CatalogView:
    """The view of a CREATE VIEW; binds its query immediately, to report errors early.

    Raises:
        ProgramError: as for queries; column names that are too many, too few or repeated.
    """
    identifier = binder.catalog.qualify(statement.name)
    catalog = binder.catalog
    query = ViewQuery(
        statement.query, binder.source, statement.columns, catalog.current_catalog, catalog.current_database
    )
    view = CatalogView(identifier, query, statement.columns, statement.temporary, statement.query_text)
    bound = view_query(binder, view)
    width = len(bound.rel.row_type.fields)
    names = statement.columns or bound.names
    if len(names) != width:
        raise binder.source.error_at(
            statement.span,
            f"view {identifier} names {len(names)} column(s), its query has {width}",
            "name all columns, or none",
        )
    for at, name in enumerate(names):
        if name in names[:at]:
            raise binder.source.error_at(
                statement.span, f"a column named {name!r} is defined twice in the view", "give the columns aliases"
            )
    return view
