"""External resources of a plan (functions of users, files, servers), and the check that the operator allows them.

The check walks the whole JSON of a plan, so that it covers new node types, too.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from compiled_plan.planner.catalog.kinds import TYPE, catalog_kind
from compiled_plan.planner.catalog.lakes.access import lakes_read_by, without_secrets
from compiled_plan.plans.connectors.outside import reached_by
from compiled_plan.plans.connectors.reached import Reach
from compiled_plan.plans.connectors.registry import connector_spec
from compiled_plan.plans.connectors.specs import spark
from compiled_plan.plans.errors import ProgramError, UnsupportedError
from compiled_plan.plans.files.code_folders import imported_from
from compiled_plan.plans.functions.jars import JarError, jar_with
from compiled_plan.plans.functions.loading import places_of
from compiled_plan.plans.rex.java import function_named
from compiled_plan.plans.text import jsontext
from compiled_plan.plans.text.masking import masked
from compiled_plan.plans.text.options import Kind
from compiled_plan.service.common.places import Allowed, is_within

#: URI schemes of servers, which are neither local files nor file stores.
_SERVERS = (
    "jdbc",
    "http",
    "https",
    "kafka",
    "redis",
    "mongodb",
    "amqp",
    "nats",
    "pulsar",
    "mysql",
    "postgresql",
    "thrift",
)
#: Suffixes of options whose values are paths.
_OF_PATHS = ("path", "paths", "location", "file", "dir", "directory", "folder", "keytab")
#: Further ones of Spark's data sources: without a scheme, a URL is a path.
_OF_URLS = ("url", "uri")
_SCHEME = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*(?=:)")
_ABOVE = re.compile(r"\.\./|/\.\.")


@dataclass(frozen=True, slots=True)
class Value:
    """A value in a JSON document, with its pointer and, in an object, its key."""

    where: str
    key: str
    value: Any


def check_outside(plan: object, allowed: Allowed) -> None:
    """Raise if a plan uses a resource that the operator does not allow.

    Raises:
        UnsupportedError: with the table or function.
    """
    for _ in _opened_tables(plan, allowed):
        pass


@contextmanager
def compiling_within(allowed: Allowed) -> Iterator[None]:
    """Restrict the code that programs import, and the lakes that they read while they compile."""
    folders = [Path(folder) for folder in allowed.programs]
    with imported_from(folders), lakes_read_by(partial(_opened_lake, allowed=allowed)):
        yield


def _opened_lake(name: str, options: Mapping[str, str], allowed: Allowed) -> Mapping[str, str]:
    """The options with which a catalog is opened.

    Raises:
        UnsupportedError: the operator does not allow its folder, or it has a secret.
    """
    where = f"catalog {name}"
    declared = catalog_kind(options[TYPE]).OPTIONS
    opened = dict(without_secrets(name, options))
    for key, value in options.items():
        if key in declared and declared[key].kind is Kind.PATH:
            opened[key] = _place(where, key, value, allowed.opened)
        elif _is_place(key, value, _OF_PATHS):
            _place(where, key, value, allowed.opened_plainly)
    return opened


def confined(text: str, allowed: Allowed) -> tuple[str, object]:
    """The plan of a run and its JSON: the paths that its tables open are in place of those that they have.

    Raises:
        UnsupportedError: the plan uses a resource that the operator does not allow; with the table or function.
    """
    plan, is_same = jsontext.loads(text), True
    for table, options in list(_opened_tables(plan, allowed)):
        is_same = is_same and table.value == options
        table.value.update(options)
    return text if is_same else jsontext.dumps(plan), plan


def _opened_tables(plan: object, allowed: Allowed) -> Iterator[tuple[Value, dict[str, object]]]:
    """The tables of a plan, with their options as a run gets them."""
    for function in objects_of(plan, "python"):
        _check_function(function, allowed.programs)
    jars_of(plan, allowed)
    for table in objects_of(plan, "options"):
        yield table, _opened_options(table, allowed)


def objects_of(plan: object, key: str) -> Iterator[Value]:
    """The JSON objects under a key, at any depth of a plan."""
    return (item for item in _objects(plan) if item.key == key)


def jars_of(plan: object, allowed: Allowed) -> list[Path]:
    """The jars in allowed folders that have the Java functions of a plan.

    Raises:
        UnsupportedError: no jar has a function, or the plan has its name alone.
    """
    classes: dict[str, str] = {}
    for call in _objects(plan):
        is_call = call.value.get("kind") == "CALL" or "argList" in call.value
        function = function_named(call.value) if is_call else None
        if function is not None and not function.class_:
            raise UnsupportedError(
                f"the plan has the function {function.name} without its class or module",
                where=call.where,
                remedy="compile the program in the service, or, if the function is in Java, in Flink after "
                "CREATE FUNCTION without TEMPORARY",
            )
        if function is not None:
            classes.setdefault(function.class_, call.where)
    if not classes:
        return []
    jars = [file for folder in allowed.programs for file in sorted(Path(folder).glob("*.jar"))]
    try:
        places = {class_: jar_with(class_, jars) for class_ in classes}
    except JarError as fault:
        raise UnsupportedError(str(fault), remedy="ask the operator to correct or to remove it") from None
    for class_, jar in places.items():
        if jar is None:
            raise UnsupportedError(
                f"no jar in an allowed folder has the Java function {class_}",
                where=classes[class_],
                remedy="ask the operator to put its jar into one of the folders of --programs",
            )
    return sorted(set(filter(None, places.values())))


def _objects(plan: object) -> Iterator[Value]:
    """All JSON objects of a plan."""
    waiting = [Value("", "", plan)]
    while waiting:
        item = waiting.pop()
        if isinstance(item.value, dict):
            yield item
            waiting += (Value(f"{item.where}/{name}", name, value) for name, value in item.value.items())
        elif isinstance(item.value, list):
            waiting += (Value(f"{item.where}/{at}", "", value) for at, value in enumerate(item.value))


def _check_function(function: Value, folders: Sequence[str]) -> None:
    """Raise unless the module's file is in an allowed folder and no other module shadows it in a run."""
    module, class_, file = (str(function.value.get(name, "")) for name in ("module", "class", "file"))
    where = f"{function.where}, {file}" if file else function.where
    if not _is_in(Path(file), folders) if file else not _is_found(module, folders):
        raise UnsupportedError(
            f"the Python function {module}.{class_} is not in an allowed folder",
            where=where,
            remedy="ask the operator to allow its folder (--programs)",
        )
    if file and not _is_module(Path(file), module):
        raise UnsupportedError(
            f"the module {module!r} of a Python function does not match its file {file!r}",
            where=where,
            remedy="compile the program again",
        )
    top = module.partition(".")[0]
    if not all(_is_in(place, folders) for place in places_of(top)):
        raise UnsupportedError(
            f"another module {top!r} exists, which would be imported instead of the function's",
            where=where,
            remedy="rename the function's module",
        )


def _is_in(file: Path, folders: Sequence[str]) -> bool:
    place = os.path.realpath(file)
    return any(is_within(place, os.path.realpath(folder)) for folder in folders)


def _is_found(module: str, folders: Sequence[str]) -> bool:
    parts = module.split(".")
    places = (Path(folder).joinpath(*parts) for folder in folders)
    return all(map(str.isidentifier, parts)) and any(
        place.with_suffix(".py").is_file() or (place / "__init__.py").is_file() for place in places
    )


def _is_module(file: Path, module: str) -> bool:
    path = (file.parent if file.name == "__init__.py" else file.with_suffix("")).parts
    parts = module.split(".")
    return file.suffix == ".py" and list(path[-len(parts) :]) == parts


def _opened_options(table: Value, allowed: Allowed) -> dict[str, object]:
    """The options of a table with the paths that it opens."""
    options = {key: value for key, value in table.value.items() if isinstance(value, str)}
    _check_reached(table.where, options, allowed)
    return {**table.value, **{key: _opened(table.where, options, key, allowed) for key in options}}


def _opened(where: str, options: Mapping[str, str], key: str, allowed: Allowed) -> str:
    """The value of an option with the paths that its reader opens."""
    value, connector = options[key], connector_spec(options.get("connector"))
    declared = None if connector is None else connector.option(key)
    if declared is not None and declared.kind is Kind.PATH:
        return _place(where, key, value, allowed.opened)
    if connector is spark.SPEC and key.lower() in ("path", "paths"):
        opened = partial(_place, where, key, opening=partial(allowed.opened, pattern=True))
        return opened(value) if key.lower() == "path" else json.dumps([*map(opened, _listed(where, key, value))])
    if _is_place(key, value, (*_OF_PATHS, *_OF_URLS) if connector is spark.SPEC else _OF_PATHS):
        _place(where, key, value, allowed.opened_plainly)
    return value


def _listed(where: str, key: str, value: str) -> list[str]:
    """The paths of a JSON list, as Spark's option `paths` has them."""
    try:
        paths = json.loads(value)
    except (ValueError, RecursionError):
        paths = None
    if not isinstance(paths, list) or not all(isinstance(path, str) for path in paths):
        raise UnsupportedError(
            f"the option {key!r} is no list of paths", where=where, remedy='write ["path", "path"], or use \'path\''
        )
    return paths


def _place(where: str, key: str, text: str, opening: Callable[[str], str | None]) -> str:
    """The path that a table opens for a text."""
    if "{secret:" in text:
        raise UnsupportedError(
            f"the option {key!r} refers to a secret, which could be any path",
            where=where,
            remedy="write the path, and refer to secrets in user names and passwords alone",
        )
    try:
        opened = opening(text)
    except ProgramError as fault:
        raise UnsupportedError(f"the option {key!r}: {fault.message}", where=where, remedy=fault.remedy) from None
    if opened is None:
        raise UnsupportedError(
            f"the option {key!r} refers to {text!r}, which is not in an allowed folder",
            where=where,
            remedy="use one of the folders of --data, or ask the operator to allow this one",
        )
    return opened


def _check_reached(where: str, options: Mapping[str, str], allowed: Allowed) -> None:
    """Raise for options by which a connector accesses other files, loads code, or may do so."""
    for reached in reached_by(options):
        if reached.kind is Reach.FILE:
            _place(where, reached.option, reached.value, allowed.opened_plainly)
        else:
            (value,) = masked({f"{reached.option} {reached.name}": reached.value}).values()
            raise UnsupportedError(
                f"{reached.message}: {reached.option!r} = {value!r}, which the operator does not allow",
                where=where,
                remedy=reached.remedy,
            )


def _is_place(key: str, value: str, of_paths: tuple[str, ...]) -> bool:
    """Return True if the value of an option may be a file or folder of this machine or of a store."""
    scheme = _SCHEME.match(value.lstrip())
    is_path = key.lower().endswith(of_paths)
    if scheme is None:
        return is_path or value.lstrip().startswith(("/", "~")) or _ABOVE.search(value) is not None
    return scheme[0].lower() == "file" or (
        scheme[0].lower() not in _SERVERS and "/" in value and (is_path or "://" in value)
    )
