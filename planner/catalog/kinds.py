"""Types of catalogs: the option `type` of CREATE CATALOG, the options of each type, and its class."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module

from compiled_plan.planner.catalog.in_memory import FIRST, IN_MEMORY, InMemoryCatalog, there_are
from compiled_plan.plans.connectors.table_options import Effect
from compiled_plan.plans.errors import ProgramError, UnsupportedError
from compiled_plan.plans.text.references import has_reference, malformed

TYPE = "type"
#: By type the module with its class, `CATALOG`; a program loads those alone that it names.
_MODULES: Mapping[str, str] = {
    "delta": "lakes.delta",
    "iceberg": "lakes.iceberg",
    "spark": "lakes.spark",
}


def catalog_kinds() -> Iterator[tuple[str, type[InMemoryCatalog]]]:
    """All types of catalogs with their classes, by name."""
    return ((name, catalog_kind(name)) for name in sorted((IN_MEMORY, *_MODULES)))


def new_catalog(name: str, options: Mapping[str, str], comment: str) -> InMemoryCatalog:
    """A catalog as CREATE CATALOG declares it; nothing is read yet.

    Raises:
        ProgramError: the options lack a type, or do not fit it.
        UnsupportedError: another type, or an option that is not supported.
    """
    kind = options.get(TYPE)
    if kind is None:
        raise ProgramError(f"catalog {name!r} has no type", remedy=f"add '{TYPE}' = '{IN_MEMORY}'")
    if kind != IN_MEMORY and kind not in _MODULES:
        raise UnsupportedError(
            f"a catalog of type {kind!r} is not supported",
            remedy=f"write '{TYPE}' = '{IN_MEMORY}', and declare its tables, in an init file, say; "
            f"of other types there are {', '.join(map(repr, _MODULES))}",
        )
    class_ = catalog_kind(kind)
    for key, value in options.items():
        _check_option(name, kind, class_, key, value)
    for key, option in class_.OPTIONS.items():
        if option.required and key not in options:
            raise ProgramError(
                f"catalog {name!r} of type {kind!r} lacks the option {key!r}", remedy=f"add '{key}' = '...'"
            )
    first = options.get(FIRST, class_.OPTIONS[FIRST].default)
    if not first.strip():
        raise ProgramError(f"'{FIRST}' of catalog {name!r} is empty", remedy="name a database, or leave it out")
    return class_(name, first, comment, dict(options))


def catalog_kind(kind: str) -> type[InMemoryCatalog]:
    """The class of a type that is in `catalog_kinds`."""
    if kind == IN_MEMORY:
        return InMemoryCatalog
    class_: type[InMemoryCatalog] = import_module(f"compiled_plan.planner.catalog.{_MODULES[kind]}").CATALOG
    return class_


def _check_option(name: str, kind: str, class_: type[InMemoryCatalog], key: str, value: str) -> None:
    if key == TYPE:
        return
    option = class_.OPTIONS.get(key)
    if option is None:
        raise ProgramError(
            f"a catalog of type {kind!r} has no option {key!r}",
            remedy=f"leave it out; {there_are((TYPE, *class_.OPTIONS))}",
        )
    if option.effect is Effect.REFUSED:
        raise UnsupportedError(
            f"the option {key!r} of catalog {name!r} is not supported: {option.why}", remedy="leave the option out"
        )
    if has_reference(value) and (not option.may_refer or malformed(value) is not None):
        raise ProgramError(
            f"the option {key!r} of catalog {name!r} refers to a secret, and its value is needed to compile",
            remedy="write the value" if malformed(value) is None else "write ${secret:NAME}",
        )
    remedy = option.unfit(key, value)
    if remedy is not None:
        raise ProgramError(f"invalid value {value!r} for the option {key!r} of catalog {name!r}", remedy=remedy)
