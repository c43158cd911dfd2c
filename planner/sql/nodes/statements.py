"""Statements of a script: frozen, unresolved, with positions.

Names are tuples of one to three strings, with their case. Expressions and queries are trees of the nodes of
`planner.sql.nodes`. Options are plain dicts of strings.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, field
from typing import TYPE_CHECKING, Literal

from compiled_plan.planner.sql.nodes.base import Node, node
from compiled_plan.plans.text.position import Span

if TYPE_CHECKING:
    from collections.abc import Mapping

    from compiled_plan.planner.sql.nodes import Expression, QueryNode, TableHint, TypeSpec

#: A name as written: `table`, `database.table` or `catalog.database.table`.
Name = tuple[str, ...]


@node
class Statement(Node):
    """Base of all statements.

    Attributes:
        span: the position of the statement in the script (without its semicolon).
        text: the statement's text.
    """

    _: KW_ONLY
    span: Span
    text: str


# --- session --------------------------------------------------------------------------------------------------------


@node
class SetOption(Statement):
    """SET 'key' = 'value'. `key` is None for a plain SET, which lists the options."""

    key: str | None
    value: str | None


@node
class ResetOption(Statement):
    """RESET 'key'. `key` is None for a plain RESET: all options."""

    key: str | None


@node
class StopJob(Statement):
    """STOP JOB 'id'. `savepoint`: WITH SAVEPOINT or WITH DRAIN."""

    job: str
    savepoint: bool


@node
class UseCatalog(Statement):
    """USE CATALOG name: select the current catalog."""

    name: str


@node
class UseDatabase(Statement):
    """USE [catalog.]database: select the current database."""

    name: Name


# --- tables ---------------------------------------------------------------------------------------------------------


@node
class ColumnClause(Node):
    """A column of CREATE TABLE.

    Attributes:
        name: the column's name.
        comment: COMMENT '...', or None.
        span: the position of the definition.
    """

    name: str
    comment: str | None
    _: KW_ONLY
    span: Span


@node
class PhysicalClause(ColumnClause):
    """`name type`. `type.nullable` is False after NOT NULL, and None if not written."""

    type: TypeSpec


@node
class ComputedClause(ColumnClause):
    """A computed column of CREATE TABLE: `name AS expression`."""

    expression: Expression


@node
class MetadataClause(ColumnClause):
    """`name type METADATA [FROM 'key'] [VIRTUAL]`. `key` is None if not written: the column's name."""

    type: TypeSpec
    key: str | None
    virtual: bool


@node
class NamedClause(ColumnClause):
    """A bare name: CREATE TABLE t (a, b) AS SELECT selects and orders the query's columns."""


@node
class Watermark(Node):
    """WATERMARK FOR `rowtime` AS `expression`; `rowtime` has more than one part for a nested field."""

    rowtime: Name
    expression: Expression
    _: KW_ONLY
    span: Span


@node
class PrimaryKey(Node):
    """PRIMARY KEY (columns) [NOT ENFORCED], on a column or on the table. `name`: of CONSTRAINT, or None."""

    name: str | None
    columns: tuple[str, ...]
    enforced: bool
    _: KW_ONLY
    span: Span


@node
class Distribution(Node):
    """DISTRIBUTED [BY [HASH|RANGE] (columns)] [INTO n BUCKETS]. `kind`: UNKNOWN if not written."""

    kind: Literal["UNKNOWN", "HASH", "RANGE"]
    columns: tuple[str, ...]
    buckets: int | None


@node
class LikeOption(Node):
    """One line of LIKE's options. `strategy`: INCLUDING, EXCLUDING, OVERWRITING; `feature`: ALL, CONSTRAINTS, ..."""

    strategy: str
    feature: str


@node
class LikeClause(Node):
    """A table whose parts a declaration takes over: LIKE source [(options)]."""

    source: Name
    options: tuple[LikeOption, ...]
    _: KW_ONLY
    span: Span


@node
class Materialized(Node):
    """The clauses of CREATE [OR ALTER] MATERIALIZED TABLE.

    Attributes:
        or_alter: OR ALTER.
        freshness: of FRESHNESS = INTERVAL ..., or None.
        mode: of REFRESH_MODE: CONTINUOUS or FULL; empty if not written.
        start: the word of START_MODE; empty if not written.
        query_text: the query as written.
    """

    or_alter: bool
    freshness: Expression | None
    mode: str
    start: str
    query_text: str


@node
class CreateTable(Statement):
    """CREATE [TEMPORARY] TABLE.

    Attributes:
        or_replace: CREATE OR REPLACE TABLE or REPLACE TABLE (with AS only).
        replace_only: REPLACE TABLE.
        materialized: of a materialized table, or None.
        query: of CREATE TABLE ... AS, or None.
        like: of CREATE TABLE ... LIKE, or None.
        options: of WITH; empty without it.
        option_spans: the positions of the options.
    """

    name: Name
    temporary: bool
    if_not_exists: bool
    or_replace: bool
    columns: tuple[ColumnClause, ...]
    watermarks: tuple[Watermark, ...]
    primary_key: PrimaryKey | None
    comment: str | None
    distribution: Distribution | None
    partitioned_by: tuple[str, ...]
    options: Mapping[str, str]
    option_spans: Mapping[str, Span]
    like: LikeClause | None
    query: QueryNode | None
    replace_only: bool = False
    materialized: Materialized | None = None


@node
class CreateView(Statement):
    """CREATE [TEMPORARY] VIEW name [(columns)] AS query. `query_text`: the query as written."""

    name: Name
    temporary: bool
    if_not_exists: bool
    or_replace: bool
    columns: tuple[str, ...]
    comment: str | None
    query: QueryNode
    query_text: str


@node
class CreateFunction(Statement):
    """CREATE [TEMPORARY [SYSTEM]] FUNCTION name AS 'identifier' [LANGUAGE l] [USING JAR 'x', ...]."""

    name: Name
    temporary: bool
    system: bool
    if_not_exists: bool
    identifier: str
    language: str | None
    resources: tuple[str, ...]
    options: Mapping[str, str]


@node
class CreateDatabase(Statement):
    """CREATE DATABASE, with comment and properties."""

    name: Name
    if_not_exists: bool
    comment: str | None
    options: Mapping[str, str]


@node
class CreateCatalog(Statement):
    """CREATE CATALOG, with comment and options."""

    name: str
    if_not_exists: bool
    comment: str | None
    options: Mapping[str, str]


@node
class AlterDatabase(Statement):
    """ALTER DATABASE ... SET (options)."""

    name: Name
    options: Mapping[str, str]


@node
class AlterCatalog(Statement):
    """ALTER CATALOG ... SET (options), RESET (keys) or COMMENT; `comment` is None for the first two."""

    name: str
    options: Mapping[str, str]
    reset: tuple[str, ...]
    comment: str | None


@node
class AlterView(Statement):
    """ALTER VIEW name RENAME TO `new_name`, or AS `query`; the part of the form that is not written is None."""

    name: Name
    new_name: Name | None
    query: QueryNode | None
    query_text: str


@node
class AlterFunction(Statement):
    """ALTER [TEMPORARY [SYSTEM]] FUNCTION [IF EXISTS] name AS 'identifier' [LANGUAGE l]."""

    name: Name
    temporary: bool
    system: bool
    if_exists: bool
    identifier: str
    language: str | None


@node
class Drop(Statement):
    """DROP of `kind` TABLE, MATERIALIZED TABLE, VIEW, FUNCTION, DATABASE, CATALOG or MODEL."""

    kind: str
    name: Name
    if_exists: bool
    temporary: bool
    system: bool = False
    cascade: bool = False


# --- queries and inserts --------------------------------------------------------------------------------------------


@node
class Query(Statement):
    """A query as a statement."""

    query: QueryNode


@node
class Insert(Statement):
    """INSERT INTO or INSERT OVERWRITE.

    Attributes:
        target: the table's name.
        target_span: the position of the name.
        hints: after the name (`OPTIONS`).
        columns: the column list, each possibly a nested field (`a.b`); empty without one.
        partition: of PARTITION (a = 1, ...): name -> literal.
        overwrite: INSERT OVERWRITE.
        on_conflict: "NOTHING", "ERROR" or "DEDUPLICATE" of ON CONFLICT DO ..., or None.
        query_text: the query as written.
    """

    target: Name
    target_span: Span
    hints: tuple[TableHint, ...]
    columns: tuple[Name, ...]
    column_spans: tuple[Span, ...]
    partition: Mapping[str, Expression]
    overwrite: bool
    query: QueryNode
    query_text: str
    on_conflict: str | None


@node
class StatementSet(Statement):
    """STATEMENT SET BEGIN ... END, in one statement or as BEGIN STATEMENT SET; ...; END."""

    inserts: tuple[Insert | CreateTable, ...]


@node
class CompilePlan(Statement):
    """COMPILE PLAN 'path' [IF NOT EXISTS] FOR body."""

    path: str
    if_not_exists: bool
    body: Insert | StatementSet


@node
class ExecutePlan(Statement):
    """EXECUTE PLAN [IF EXISTS] 'path'."""

    path: str
    if_exists: bool


@node
class CompileAndExecutePlan(Statement):
    """COMPILE AND EXECUTE PLAN 'path' FOR body."""

    path: str
    body: Insert | StatementSet


@node
class Explain(Statement):
    """EXPLAIN [PLAN FOR | details] body.

    `details`: ESTIMATED_COST, CHANGELOG_MODE, JSON_EXECUTION_PLAN or PLAN_ADVICE.
    """

    details: tuple[str, ...]
    body: Statement


# --- modules and jars -----------------------------------------------------------------------------------------------


@node
class LoadModule(Statement):
    """LOAD MODULE name [WITH (...)]."""

    name: str
    options: Mapping[str, str]


@node
class UnloadModule(Statement):
    """UNLOAD MODULE name: remove a module of functions."""

    name: str


@node
class UseModules(Statement):
    """USE MODULES name, ...: the modules in use, in their order."""

    names: tuple[str, ...]


@node
class AddJar(Statement):
    """ADD JAR 'path', with a local or remote path."""

    path: str


@node
class RemoveJar(Statement):
    """REMOVE JAR 'path', as it was added."""

    path: str


# --- the rest -------------------------------------------------------------------------------------------------------


@node
class Describe(Statement):
    """DESCRIBE [EXTENDED] of `kind` TABLE, CATALOG, FUNCTION, MODEL or JOB."""

    kind: str
    name: Name
    extended: bool


@node
class NamePattern(Node):
    """[NOT] LIKE or ILIKE 'pattern' of SHOW; `any_case`: ILIKE."""

    pattern: str
    negated: bool
    any_case: bool


@node
class Show(Statement):
    """SHOW ...

    Attributes:
        what: the words after SHOW in capitals.
        of: the name after FROM, IN, CREATE ... or PARTITIONS; empty without it.
        like: the pattern of the shown names, or None for all.
        partition: of PARTITION (key = literal, ...); empty without it.
    """

    what: str
    of: Name = ()
    like: NamePattern | None = None
    partition: Mapping[str, Expression] = field(default_factory=dict)


@node
class Other(Statement):
    """A statement of Flink that is recognised and not supported (ALTER, CALL, ...). `kind`: its first word."""

    kind: str
    words: tuple[str, ...] = ()
