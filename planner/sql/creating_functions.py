"""CREATE FUNCTION and ALTER FUNCTION.

Source: Flink's "CREATE Statements" page, CREATE FUNCTION; PyFlink's `LANGUAGE PYTHON`. Flink accepts any options in
WITH, so a script that declares the signature of a Java function runs there, too.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

from compiled_plan.planner.catalog.functions import CatalogFunction, UndeclaredFunction
from compiled_plan.planner.catalog.jars import existing
from compiled_plan.planner.catalog.memory import Catalog
from compiled_plan.planner.catalog.tables import ObjectIdentifier
from compiled_plan.planner.sql.binding.source import SourceText
from compiled_plan.planner.sql.nodes import statements as st
from compiled_plan.planner.user_functions.registering import catalog_function
from compiled_plan.plans.errors import ProgramError
from compiled_plan.plans.functions.calls import Callables
from compiled_plan.plans.functions.declarations import (
    DETERMINISTIC,
    KIND,
    SIGNATURE,
    declared_kind,
    declared_signatures,
)
from compiled_plan.plans.rex import JavaFunction

#: A class's full name in Java; `$` separates nested classes.
_CLASS = re.compile(r"[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*")
_JVM = ("JAVA", "SCALA")


def create_function(catalog: Catalog, source: SourceText, statement: st.CreateFunction) -> None:
    """CREATE [TEMPORARY [SYSTEM]] FUNCTION name AS 'class' [LANGUAGE l] [USING JAR 'x', ...] [WITH (...)].

    Raises:
        UnsupportedError: another language, or resources of a Python function.
        ProgramError: a Python class that cannot be imported, or whose types cannot be inferred; the jar of a temporary
            function does not exist; the name is taken, or there is no such database.
    """
    language = _language(source, statement)
    if language == "PYTHON" and statement.resources:
        raise source.unsupported_at(statement.span, "USING", "put the module beside the program, or on PYTHONPATH")
    name = catalog.qualify(statement.name)
    temporary = statement.temporary or statement.system
    if not temporary:
        catalog.require_place(name, "FUNCTION")
    exists = catalog.functions.holds(name, temporary=temporary, system=statement.system)
    if exists and statement.if_not_exists:
        return
    function: CatalogFunction | UndeclaredFunction
    if language == "PYTHON":
        function = catalog_function(name, statement.identifier, temporary=temporary, system=statement.system)
    else:
        function = _java_function(catalog, name, statement)
    catalog.functions.create(function)


def alter_function(catalog: Catalog, source: SourceText, statement: st.AlterFunction) -> None:
    """ALTER FUNCTION [IF EXISTS] name AS 'class' [LANGUAGE l].

    Raises:
        UnsupportedError: another language.
        ProgramError: a temporary function, there is none of that name, or a Python class that cannot be imported.
    """
    if statement.temporary:
        raise source.error_at(
            statement.span, "ALTER changes functions of a catalog only", "DROP the temporary function, and CREATE it"
        )
    name = catalog.qualify(statement.name)
    if not catalog.functions.holds(name, temporary=False):
        if statement.if_exists:
            return
        raise source.error_at(statement.span, f"there is no function {name}", "write IF EXISTS, or check the name")
    function: CatalogFunction | UndeclaredFunction
    if _language(source, statement) == "PYTHON":
        function = catalog_function(name, statement.identifier, temporary=False, system=False)
    else:
        function = _of_another_class(catalog, name, statement)
    catalog.functions.replace(function)


def _of_another_class(
    catalog: Catalog, name: ObjectIdentifier, statement: st.AlterFunction
) -> CatalogFunction | UndeclaredFunction:
    """The function with another Java class; without the class file, with the signature of before."""
    old = catalog.functions.permanent(name)
    if not isinstance(old, CatalogFunction) or old.java is None:
        return _java_function(catalog, name, statement)
    function = _java_function(catalog, name, statement, old.java.jars)
    if isinstance(function, UndeclaredFunction):
        return replace(old, java=replace(old.java, class_=function.class_name))
    return function


def _language(source: SourceText, statement: st.CreateFunction | st.AlterFunction) -> str:
    language = statement.language or "JAVA"
    if language not in (*_JVM, "PYTHON"):
        raise source.unsupported_at(
            statement.span, f"a function in {language}", "write it in Java or Python, or as a view"
        )
    return language


def _class_name(identifier: str) -> str:
    class_ = identifier.strip()
    if not _CLASS.fullmatch(class_):
        raise ProgramError(f"{class_!r} is no name of a Java class", remedy="write 'package.Class'")
    return class_


def _java_function(
    catalog: Catalog,
    name: ObjectIdentifier,
    statement: st.CreateFunction | st.AlterFunction,
    jars: Sequence[str] = (),
) -> CatalogFunction | UndeclaredFunction:
    """A Java function by its declared signature, or that of its class file: a program is compiled without a JVM."""
    class_ = _class_name(statement.identifier)
    temporary, system = statement.temporary or statement.system, statement.system
    options: Mapping[str, str] = {}
    if isinstance(statement, st.CreateFunction):
        jars, options = statement.resources, statement.options
    if temporary:
        for path in jars:
            existing(path)
    if SIGNATURE in options:
        _types(options)

    @cache
    def declare() -> CatalogFunction:
        paths = [existing(path) for path in jars] or catalog.jars.paths()
        known = options if SIGNATURE in options else {**_read(name, class_, paths), **options}
        callables, deterministic = _types(known)
        return CatalogFunction(
            name, callables, temporary, system, java=JavaFunction(class_, "", tuple(paths), deterministic)
        )

    try:
        return declare()
    except ProgramError:
        # As in Flink, a call looks for the class, in the jars of a catalog's function or those of the session.
        return UndeclaredFunction(name, temporary, system, class_, declare)


def _types(options: Mapping[str, str]) -> tuple[Callables, bool]:
    """The signatures of a declaration, and True for a deterministic function.

    Raises:
        ProgramError: an option has another form.
    """
    kind = declared_kind(options)
    deterministic = options.get(DETERMINISTIC, "true").strip().lower()
    if deterministic not in ("true", "false"):
        raise ProgramError(f"'{DETERMINISTIC}' is {deterministic!r}", remedy="write 'true' or 'false'")
    return Callables.declared(kind, declared_signatures(options[SIGNATURE], kind)), deterministic == "true"


def _read(name: ObjectIdentifier, class_: str, jars: Sequence[str]) -> dict[str, str]:
    """The options that declare a function, from the class file in its jar."""
    from compiled_plan.plans.functions.jar_signatures import function_in  # for functions without a signature alone

    function = function_in(class_, [Path(jar) for jar in jars if "://" not in jar])
    if function is None:
        raise ProgramError(
            f"the types of the Java function {name.name} are unknown: no jar of the program has its class",
            remedy="name its jar, USING JAR 'file.jar' or ADD JAR 'file.jar'; or declare the types in WITH, which "
            "Flink accepts, too: WITH ('signature' = '(INT, STRING) -> BIGINT'), and 'kind' = 'TABLE' or "
            "'AGGREGATE' for such a function",
        )
    deterministic = "true" if function.deterministic else "false"
    return {SIGNATURE: function.signature, KIND: function.kind.name, DETERMINISTIC: deterministic}
