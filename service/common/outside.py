"""External resources of a plan (functions of users, files, servers), and the check that the operator allows them.

The check walks the whole JSON of a plan, so that it covers new node types, too.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from compiled_plan.plans.connectors.outside import reached_by
from compiled_plan.plans.connectors.reached import Reach
from compiled_plan.plans.errors import UnsupportedError
from compiled_plan.plans.functions.jars import JarError, jar_with
from compiled_plan.plans.functions.loading import places_of
from compiled_plan.plans.rex.java import function_named
from compiled_plan.plans.text.masking import masked

#: URI schemes of servers, which are neither local files nor file stores.
_SERVERS = ("jdbc", "http", "https", "kafka", "redis", "mongodb", "amqp", "nats", "pulsar", "mysql", "postgresql")
#: Suffixes of options whose values are paths.
_OF_PATHS = ("path", "paths", "location", "file", "dir", "directory", "folder", "keytab")
_PATTERN = re.compile(r"[*?\[{]")
_SCHEME = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*(?=:)")


@dataclass(frozen=True, slots=True)
class Allowed:
    """The resources that the operator allows.

    Args:
        programs: folders of Python functions, and of jars with Java functions.
        data: folders, or their URIs, of tables.
        home: the home folder of the service; tables may be in its `data` only, even if `data` above contains it.
    """

    programs: tuple[str, ...] = ()
    data: tuple[str, ...] = ()
    home: str = ""

    def holds(self, place: str) -> bool:
        """Return True if a table may be at a file, folder or URI.

        Spark expands glob patterns in paths, and reads folders recursively.
        """
        fixed = _PATTERN.split(place, maxsplit=1)[0]
        if fixed != place and ".." in place:
            return False
        if self.home and _within(place, self.home):
            return _within(place, data_of(self.home))
        if self.home and _within(self.home, place if fixed == place else fixed[: fixed.rfind("/") + 1] or "."):
            return False
        return any(_within(place, folder) for folder in self.data)


def data_of(home: str) -> str:
    """The folder for tables in the home folder of a service."""
    return f"{home}/data"


@dataclass(frozen=True, slots=True)
class Value:
    """A value in a JSON document, with its pointer and, in an object, its key."""

    where: str
    key: str
    value: Any


def check_outside(plan: Any, allowed: Allowed) -> None:
    """Raise if a plan uses a resource that the operator does not allow.

    Raises:
        UnsupportedError: with the table or function.
    """
    for function in objects_of(plan, "python"):
        _check_function(function, allowed.programs)
    jars_of(plan, allowed)
    for table in objects_of(plan, "options"):
        options = {key: value for key, value in table.value.items() if isinstance(value, str)}
        for key, value in options.items():
            _check_option(table.where, key, value, allowed)
        _check_reached(table.where, options, allowed)


def objects_of(plan: Any, key: str) -> Iterator[Value]:
    """The JSON objects under a key, at any depth of a plan."""
    return (item for item in _objects(plan) if item.key == key)


def jars_of(plan: Any, allowed: Allowed) -> list[Path]:
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


def _objects(plan: Any) -> Iterator[Value]:
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
    if not any(_within(file, folder) for folder in folders) if file else not _is_found(module, folders):
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
    if not all(any(_within(str(place), folder) for folder in folders) for place in places_of(top)):
        raise UnsupportedError(
            f"another module {top!r} exists, which would be imported instead of the function's",
            where=where,
            remedy="rename the function's module",
        )


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


def _check_option(where: str, key: str, value: str, allowed: Allowed) -> None:
    for place in _places(key, value):
        _check_place(where, key, place, allowed)


def _check_place(where: str, key: str, place: str, allowed: Allowed) -> None:
    if not allowed.holds(place):
        raise UnsupportedError(
            f"the option {key!r} refers to {place!r}, which is not in an allowed folder",
            where=where,
            remedy=f"use one of {', '.join(allowed.data)}, or ask the operator to allow its folder (--data)",
        )


def _check_reached(where: str, options: Mapping[str, str], allowed: Allowed) -> None:
    """Raise for options by which a connector accesses other files, loads code, or may do so."""
    for reached in reached_by(options):
        if reached.kind is Reach.FILE:
            _check_place(where, reached.option, reached.value, allowed)
        else:
            (value,) = masked({f"{reached.option} {reached.name}": reached.value}).values()
            raise UnsupportedError(
                f"{reached.message}: {reached.option!r} = {value!r}, which the operator does not allow",
                where=where,
                remedy=reached.remedy,
            )


def _places(key: str, value: str) -> Iterator[str]:
    """The files and folders in an option's value."""
    value = value.lstrip()
    is_path = key.lower().endswith(_OF_PATHS)
    if is_path and value.startswith("["):
        # Spark takes a list of paths as JSON.
        try:
            paths = json.loads(value)
        except (ValueError, RecursionError):
            paths = [value]
        yield from (path if isinstance(path, str) else value for path in paths)
        return
    scheme = _SCHEME.match(value)
    if scheme is None:
        if is_path or value.startswith(("/", "~")):
            yield value
    elif scheme[0].lower() == "file" or (
        scheme[0].lower() not in _SERVERS and "/" in value and (is_path or "://" in value)
    ):
        yield value


def _within(place: str, folder: str) -> bool:
    """Return True if a file or URI is in a folder, after resolving links and `..`."""
    if (remote := _remote(folder)) is not None:
        uri = _remote(place)
        return uri is not None and ".." not in uri and (uri == remote or uri.startswith(f"{remote}/"))
    if _remote(place) is not None:
        return False
    return _local(place).is_relative_to(_local(folder))


def _remote(place: str) -> str | None:
    """The normalized URI of a remote file; None for a local path."""
    scheme = _SCHEME.match(place)
    if scheme is None or scheme[0].lower() == "file":
        return None
    parts = urlsplit(place)
    return f"{parts.scheme.lower()}://{parts.netloc}{unquote(parts.path)}".rstrip("/")


def _local(place: str) -> Path:
    if place.lower().startswith("file:"):
        place = unquote(urlsplit(place).path)
    return Path(place).expanduser().resolve()
