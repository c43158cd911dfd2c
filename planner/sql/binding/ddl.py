"""CREATE TABLE: declarations to catalog tables.

Source: Flink's "CREATE Statements" page, and Flink 2.3 for the order and the restrictions of LIKE.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from compiled_plan.planner.catalog.tables import CatalogTable, Column, ColumnKind, TableDistribution
from compiled_plan.planner.diagnostics.suggestions import did_you_mean
from compiled_plan.planner.sql.binding.core import Binder
from compiled_plan.planner.sql.binding.like import LikeRules, merge_options
from compiled_plan.planner.sql.binding.schemas import (
    KIND_NAMES,
    Draft,
    Formula,
    WatermarkDraft,
    draft_column,
    draft_of,
    draft_watermark,
    resolve,
)
from compiled_plan.planner.sql.nodes import statements as st
from compiled_plan.plans.connectors.held import held_by


def bind_create_table(binder: Binder, statement: st.CreateTable) -> CatalogTable:
    """The table of a CREATE TABLE, merged with its LIKE.

    Raises:
        ProgramError: columns, keys or watermarks that do not fit together; with line, column and caret.
    """
    declaration = _Declaration(binder, statement)
    return resolve(binder, declaration.draft(*declaration.columns()))


def draft_table(
    binder: Binder, statement: st.CreateTable, columns: tuple[Column, ...], formulas: Mapping[str, Formula]
) -> Draft:
    """The draft of a CREATE TABLE without LIKE, with these columns instead of its own."""
    return _Declaration(binder, statement).draft(columns, formulas)


def distribution_of(declared: st.Distribution | None) -> TableDistribution | None:
    """The distribution of a clause."""
    return None if declared is None else TableDistribution(declared.kind, declared.columns, declared.buckets)


@dataclass(frozen=True)
class _Base:
    """The base table of LIKE, restricted to the included features."""

    columns: tuple[Column, ...] = ()
    formulas: Mapping[str, Formula] = field(default_factory=dict)
    watermark: WatermarkDraft | None = None
    primary_key: tuple[str, ...] = ()
    primary_key_name: str = ""
    partition_keys: tuple[str, ...] = ()
    distribution: TableDistribution | None = None
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

    def draft(self, columns: tuple[Column, ...], formulas: Mapping[str, Formula]) -> Draft:
        statement, base = self._statement, self._base
        declared = statement.primary_key
        key = self._primary_key()
        name = (declared.name if declared is not None else base.primary_key_name) or ""
        identifier = self._session.catalog.qualify(statement.name)
        options = merge_options(base.options, statement.options, self._rules, self._source)
        if not statement.temporary:
            options = self._session.catalog.table_options(identifier, dict(options), statement.options)
        table = CatalogTable(
            identifier=identifier,
            columns=columns,
            options=options,
            primary_key=key,
            primary_key_name=name or (f"PK_{'_'.join(key)}" if key else ""),
            partition_keys=self._partitions(),
            comment=statement.comment,
            temporary=statement.temporary,
            distribution=self._distribution(),
            holds=held_by(dict(options)),
            places={**base.places, **self._places()},
        )
        key_place = "" if declared is None else self._source.where_span(declared.span)
        return Draft(table, formulas, self._watermark(), key_place)

    def _places(self) -> dict[str, str]:
        return {key: self._source.where_span(span) for key, span in self._statement.option_spans.items()}

    # --- LIKE

    def _included(self) -> _Base:
        like = self._statement.like
        if like is None:
            return _Base()
        with self._source.at_span(like.span):
            source = self._session.catalog.find(like.source)
        name = self._session.catalog.qualify(like.source)
        if source is None:
            remedy = did_you_mean(like.source[-1], self._session.catalog.names(like.source[-3:-1]))
            raise self._source.error_at(like.span, f"source table {name} of LIKE not found", remedy)
        if not isinstance(source, CatalogTable):
            raise self._source.error_at(like.span, f"source {name} of LIKE is a view", "name a table")
        rules = self._rules
        draft = draft_of(source)
        included = [
            column
            for column in source.columns
            if column.kind is ColumnKind.PHYSICAL
            or rules.includes("GENERATED" if column.kind is ColumnKind.COMPUTED else "METADATA")
        ]
        return _Base(
            columns=tuple(included),
            formulas=draft.formulas,
            watermark=draft.watermark if rules.includes("WATERMARKS") else None,
            primary_key=source.primary_key if rules.includes("CONSTRAINTS") else (),
            primary_key_name=source.primary_key_name if rules.includes("CONSTRAINTS") else "",
            partition_keys=source.partition_keys if rules.includes("PARTITIONS") else (),
            # Flink 2.3 inherits the distribution even after EXCLUDING DISTRIBUTION, which only permits another one.
            distribution=source.distribution,
            options=source.options if rules.includes("OPTIONS") else (),
            places=source.places,
        )

    # --- columns

    def columns(self) -> tuple[tuple[Column, ...], dict[str, Formula]]:
        """All columns in order, and the expressions of computed ones."""
        columns = {column.name: column for column in self._base.columns}
        formulas = {name: formula for name, formula in self._base.formulas.items() if name in columns}
        declared: set[str] = set()
        for item in self._statement.columns:
            column, formula = draft_column(item, self._source)
            if item.name in declared:
                kind = KIND_NAMES[column.kind]
                raise self._source.error_at(
                    item.span, f"a {kind} column named {item.name!r} already exists in the table", "rename one of them"
                )
            declared.add(item.name)
            self._check_overwrite(item, column, columns.get(item.name))
            columns[item.name] = column
            if formula is not None:
                formulas[item.name] = formula
        return tuple(columns.values()), formulas

    def _check_overwrite(self, item: st.ColumnClause, column: Column, base: Column | None) -> None:
        if base is None:
            return
        feature = {ColumnKind.COMPUTED: "GENERATED", ColumnKind.METADATA: "METADATA"}.get(base.kind)
        if feature is None or column.kind is not base.kind or not self._rules.overwrites(feature):
            remedy = f"write OVERWRITING {feature} or EXCLUDING {feature} in LIKE" if feature else "rename it"
            raise self._source.error_at(
                item.span, f"a column named {item.name!r} already exists in the base table", remedy
            )

    # --- keys

    def _primary_key(self) -> tuple[str, ...]:
        key = self._statement.primary_key
        if key is None:
            return self._base.primary_key
        if self._base.primary_key:
            raise self._source.error_at(
                key.span, "the base table already has a primary key", "write EXCLUDING CONSTRAINTS in LIKE"
            )
        for column in self._base.columns:
            if column.name in key.columns and column.kind is ColumnKind.PHYSICAL and column.type.nullable:
                raise self._source.error_at(
                    key.span,
                    f"primary key column {column.name!r} is nullable in the base table",
                    "declare it NOT NULL there, or leave the key out here and write ALTER TABLE ... ADD PRIMARY KEY",
                )
        return key.columns

    def _partitions(self) -> tuple[str, ...]:
        keys = self._statement.partitioned_by
        if keys and self._base.partition_keys:
            raise self._source.error_at(
                self._statement.span, "the base table already has partitions", "write EXCLUDING PARTITIONS in LIKE"
            )
        return keys or self._base.partition_keys

    def _distribution(self) -> TableDistribution | None:
        declared = self._statement.distribution
        if declared is not None and self._base.distribution is not None and self._rules.includes("DISTRIBUTION"):
            raise self._source.error_at(
                self._statement.span,
                "the base table already has a distribution",
                "write EXCLUDING DISTRIBUTION in LIKE",
            )
        return distribution_of(declared) or self._base.distribution

    # --- watermarks

    def _watermark(self) -> WatermarkDraft | None:
        declared = self._statement.watermarks
        if len(declared) > 1:
            raise self._source.error_at(declared[1].span, "a table can have one WATERMARK only", "remove one of them")
        if not declared:
            return self._base.watermark
        if self._base.watermark and not self._rules.overwrites("WATERMARKS"):
            raise self._source.error_at(
                declared[0].span,
                "the base table already has a watermark",
                "write EXCLUDING WATERMARKS or OVERWRITING WATERMARKS in LIKE",
            )
        return draft_watermark(declared[0], self._source)
