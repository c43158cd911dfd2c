"""Results of DESCRIBE, SHOW and EXPLAIN.

Source: Flink's pages "DESCRIBE", "SHOW" and "EXPLAIN" statements; FLIP-155, "describe".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from compiled_plan.planner.catalog.definitions import (
    catalog_definition,
    model_definition,
    table_definition,
    view_definition,
)
from compiled_plan.planner.catalog.functions import CatalogFunction
from compiled_plan.planner.catalog.in_memory import CatalogObject
from compiled_plan.planner.catalog.memory import Catalog
from compiled_plan.planner.catalog.tables import CatalogTable
from compiled_plan.planner.diagnostics.suggestions import did_you_mean
from compiled_plan.planner.functions.registry import is_aggregate, is_changing, is_function, signature_texts
from compiled_plan.planner.sql.binding.altering import partition_of, partition_text
from compiled_plan.planner.sql.binding.core import Binder
from compiled_plan.planner.sql.binding.inserts import summary
from compiled_plan.planner.sql.binding.views import view_columns
from compiled_plan.planner.sql.context import PlanningContext
from compiled_plan.planner.sql.nodes import statements as st
from compiled_plan.planner.table.columns import SchemaColumn
from compiled_plan.planner.table.schemas import ResolvedSchema, declared_schema
from compiled_plan.plans.text.masking import masked
from compiled_plan.plans.text.position import Span
from compiled_plan.plans.types import BOOLEAN, STRING, row_of
from compiled_plan.results.ready import ReadyResult, description
from compiled_plan.running.jobs import described, job_of
from compiled_plan.session.functions import function_names_of
from compiled_plan.session.queries import explain_statement


def show(
    context: PlanningContext, binder: Binder, statement: st.Describe | st.Show | st.Explain | st.SetOption
) -> ReadyResult:
    """The result of a DESCRIBE, SHOW or EXPLAIN statement, or of SET without an option.

    Raises:
        ProgramError: the table, catalog, database or function does not exist, or the statement to explain is wrong.
        UnsupportedError: the SHOW statement is not supported.
    """
    match statement:
        case st.Describe():
            return _DESCRIBED[statement.kind](context, binder, statement)
        case st.Explain():
            return _one_text(explain_statement(context, binder, statement.body, statement.details))
        case st.Show():
            return _shown(context, binder, statement)
        case st.SetOption():
            options = sorted(masked(context.config).items())
            return ReadyResult(row_of(["key", "value"], [STRING, STRING]), options)


def _one_text(text: str) -> ReadyResult:
    return ReadyResult(row_of(["result"], [STRING]), [(text,)], text)


# --- DESCRIBE, SHOW COLUMNS, SHOW JOBS


def _described(context: PlanningContext, binder: Binder, statement: st.Describe) -> ReadyResult:
    return description(_schema(context, _object(context, binder, statement.name, statement.span)))


def _object(context: PlanningContext, binder: Binder, name: st.Name, span: Span) -> CatalogObject:
    item = context.catalog.find(name)
    if item is None:
        raise binder.source.error_at(
            span,
            f"table or view {'.'.join(name)!r} not found",
            did_you_mean(name[-1], context.catalog.names(name[-3:-1]), "create it with CREATE TABLE"),
        )
    return item


def _schema(context: PlanningContext, item: CatalogObject) -> ResolvedSchema:
    if isinstance(item, CatalogTable):
        return declared_schema(item)
    names, types = view_columns(item)
    return ResolvedSchema(tuple(map(SchemaColumn, names, types)))


def _catalog_described(context: PlanningContext, binder: Binder, statement: st.Describe) -> ReadyResult:
    (name,) = statement.name
    described = context.catalog.catalog_of(name)
    options = masked(described.options)
    facts = [("name", name), ("type", options.pop("type")), ("comment", described.comment or None)]
    if statement.extended:
        facts += [(f"option:{key}", value) for key, value in sorted(options.items())]
    return _facts(facts)


def _facts(facts: Sequence[tuple[str, str | None]]) -> ReadyResult:
    return ReadyResult(row_of(["info name", "info value"], [STRING, STRING]), facts)


def _function_described(context: PlanningContext, binder: Binder, statement: st.Describe) -> ReadyResult:
    catalog, name = context.catalog, statement.name
    written = ".".join(name)
    built_in = len(name) == 1 and (is_function(name[0]) or is_aggregate(name[0]))
    function = catalog.functions.find(catalog.qualify(name), qualified=len(name) > 1, built_in=built_in)
    if function is None and not built_in:
        others = function_names_of(catalog)
        raise binder.source.error_at(
            statement.span, f"there is no function {written!r}", did_you_mean(name[-1], others, "SHOW FUNCTIONS")
        )
    if function is None:
        kind = "AGGREGATE" if is_aggregate(name[0]) else "SCALAR"
        facts: list[tuple[str, str | None]] = [("is system function", "true"), ("is temporary", "false")]
        steady, signatures = not is_changing(name[0]), signature_texts(name[0])
    else:
        facts = [("is system function", _word(function.system)), ("is temporary", _word(function.temporary))]
        kind = function.callables.kind.value
        class_, language, jars, steady = _implementation(function)
        if not function.system:
            facts += [("class name", class_), ("function language", language)]
            facts.append(("resource uris", f"[{', '.join(jars)}]"))
        full = function.name
        signatures = function.callables.texts(
            written if function.system else f"{full.catalog}.{full.database}.{full.name}"
        )
    if statement.extended:
        facts += [("kind", kind), ("requirements", "[]"), ("is deterministic", _word(steady))]
        facts += [("supports constant folding", _word(steady)), ("signature", "\n".join(signatures) or None)]
    return _facts(facts)


def _implementation(function: CatalogFunction) -> tuple[str, str, Sequence[str], bool]:
    """The class of a user function, its language and jars, and True if it is deterministic."""
    if function.java is not None:
        return function.java.class_, "JAVA", function.java.jars, function.java.deterministic
    instance = function.callables.function
    return f"{type(instance).__module__}.{type(instance).__qualname__}", "PYTHON", (), bool(instance.is_deterministic)


def _word(truth: bool) -> str:
    return str(truth).lower()


def _model_described(context: PlanningContext, binder: Binder, statement: st.Describe) -> ReadyResult:
    model = context.catalog.models.find(context.catalog.qualify(statement.name))
    columns = [*((column, True) for column in model.inputs), *((column, False) for column in model.outputs)]
    names = ["name", "type", "null", "is input"]
    commented = any(column.comment is not None for column, _ in columns)
    rows = [
        (
            column.name,
            summary(column.type.with_nullability(True)),
            column.type.nullable,
            is_input,
            *((column.comment,) if commented else ()),
        )
        for column, is_input in columns
    ]
    types = [STRING, STRING, BOOLEAN, BOOLEAN, *((STRING,) if commented else ())]
    return ReadyResult(row_of([*names, *(("comment",) if commented else ())], types), rows)


def _job_described(context: PlanningContext, binder: Binder, statement: st.Describe) -> ReadyResult:
    return described([job_of(context, statement.name[0])])


_DESCRIBED: dict[str, Callable[[PlanningContext, Binder, st.Describe], ReadyResult]] = {
    "TABLE": _described,
    "CATALOG": _catalog_described,
    "FUNCTION": _function_described,
    "MODEL": _model_described,
    "JOB": _job_described,
}


def _columns_shown(context: PlanningContext, binder: Binder, statement: st.Show) -> ReadyResult:
    schema = _schema(context, _object(context, binder, statement.of, statement.span))
    like = statement.like
    columns = tuple(column for column in schema.columns if like is None or _fits(column.name, like))
    return description(schema, columns)


# --- SHOW CREATE, SHOW PARTITIONS


def _created(context: PlanningContext, binder: Binder, statement: st.Show) -> ReadyResult:
    kind = statement.what.removeprefix("CREATE ")
    item = _object(context, binder, statement.of, statement.span)
    right = "VIEW"
    if isinstance(item, CatalogTable):
        right = "TABLE" if item.materialized is None else "MATERIALIZED TABLE"
    if right != kind:
        what = right.lower()
        raise binder.source.error_at(
            statement.span, f"{item.identifier} is a {what}", f"write SHOW CREATE {right} {'.'.join(statement.of)}"
        )
    if isinstance(item, CatalogTable):
        return _one_text(table_definition(item))
    return _one_text(view_definition(item, view_columns(item)[0]))


def _catalog_created(context: PlanningContext, binder: Binder, statement: st.Show) -> ReadyResult:
    (name,) = statement.of
    return _one_text(catalog_definition(name, context.catalog.catalog_of(name)))


def _model_created(context: PlanningContext, binder: Binder, statement: st.Show) -> ReadyResult:
    return _one_text(model_definition(context.catalog.models.find(context.catalog.qualify(statement.of))))


def _partitions_shown(context: PlanningContext, binder: Binder, statement: st.Show) -> ReadyResult:
    item = _object(context, binder, statement.of, statement.span)
    if not isinstance(item, CatalogTable):
        raise binder.source.error_at(statement.span, f"{item.identifier} is a view", "name a table")
    wanted = set(partition_of(item, statement.partition))
    listed = [partition_text(one) for one in item.partitions if wanted <= set(one)]
    return ReadyResult(row_of(["partition name"], [STRING]), [(text,) for text in listed])


def _no_procedures(context: PlanningContext, binder: Binder, statement: st.Show) -> ReadyResult:
    raise binder.source.unsupported_at(
        statement.span,
        "SHOW PROCEDURES",
        "procedures belong to catalogs of Flink's connectors; an in-memory one has none",
    )


def _full_modules(context: PlanningContext, binder: Binder, statement: st.Show) -> ReadyResult:
    return ReadyResult(row_of(["module name", "used"], [STRING, BOOLEAN]), context.catalog.modules.all())


#: SHOW statements with an answer of their own.
_ANSWERED: dict[str, Callable[[PlanningContext, Binder, st.Show], ReadyResult]] = {
    "COLUMNS": _columns_shown,
    "CREATE TABLE": _created,
    "CREATE VIEW": _created,
    "CREATE MATERIALIZED TABLE": _created,
    "CREATE CATALOG": _catalog_created,
    "CREATE MODEL": _model_created,
    "PARTITIONS": _partitions_shown,
    "PROCEDURES": _no_procedures,
    "FULL MODULES": _full_modules,
    "JOBS": lambda context, binder, statement: described(context.jobs),
}


# --- SHOW of names


def _own(catalog: Catalog, database: tuple[str, ...]) -> list[str]:
    """The user functions of a database."""
    return catalog.functions.names_in(*catalog.path_of(database))


#: SHOW statements: the column name, and the names by catalog or database (empty for the current one).
_SHOWN: dict[str, tuple[str, Callable[[Catalog, tuple[str, ...]], list[str]]]] = {
    "CATALOGS": ("catalog name", lambda catalog, of: catalog.catalog_names()),
    "DATABASES": ("database name", lambda catalog, of: catalog.database_names(".".join(of))),
    "TABLES": ("table name", lambda catalog, of: catalog.names(of)),
    "VIEWS": ("view name", lambda catalog, of: catalog.view_names(of)),
    "FUNCTIONS": (
        "function name",
        lambda catalog, of: _own(catalog, of) if of else function_names_of(catalog),
    ),
    "USER FUNCTIONS": (
        "function name",
        lambda catalog, of: _own(catalog, of) if of else catalog.functions.names(),
    ),
    "MATERIALIZED TABLES": ("materialized table", lambda catalog, of: catalog.materialized_names(of)),
    "MODELS": ("model name", lambda catalog, of: catalog.models.names(*catalog.database_path(of))),
    "MODULES": ("module name", lambda catalog, of: catalog.modules.names()),
    "JARS": ("jars", lambda catalog, of: catalog.jars.paths()),
    "CURRENT CATALOG": ("current catalog name", lambda catalog, of: [catalog.current_catalog]),
    "CURRENT DATABASE": ("current database name", lambda catalog, of: [catalog.current_database]),
}


def _shown(context: PlanningContext, binder: Binder, statement: st.Show) -> ReadyResult:
    answer = _ANSWERED.get(statement.what)
    if answer is not None:
        return answer(context, binder, statement)
    what, names = _SHOWN[statement.what]
    # FROM names a catalog in SHOW DATABASES, and a database in all others.
    if statement.of and statement.what != "DATABASES":
        context.catalog.database_of(statement.of)
    listed = names(context.catalog, statement.of)
    if statement.like is not None:
        listed = [name for name in listed if _fits(name, statement.like)]
    return ReadyResult(row_of([what], [STRING]), [(name,) for name in listed])


def _fits(name: str, like: st.NamePattern) -> bool:
    """Match a LIKE pattern: % is any text, _ any character, and \\ escapes the next character."""
    pieces = [""]
    for part in re.findall(r"(?s)\\.|.", like.pattern):
        if part == "%":
            pieces.append("")
        else:
            pieces[-1] += "." if part == "_" else re.escape(part[-1])
    first, *more = pieces
    # Atomic groups fix each piece but the last at its first match; backtracking would take exponential time.
    pattern = first + "".join(f"(?>.*?{piece})" for piece in more[:-1]) + "".join(f".*{piece}" for piece in more[-1:])
    flags = re.DOTALL | (re.IGNORECASE if like.any_case else 0)
    return (re.fullmatch(pattern, name, flags) is not None) is not like.negated
