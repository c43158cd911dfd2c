"""Python functions, files and servers that a plan reaches, and the check that the operator allows them.

The check goes through all of the plan's JSON, so that it forgets no new type of node.
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
from compiled_plan.plans.functions.loading import places_of
from compiled_plan.plans.text.masking import masked

#: Schemes of what lies on no disk of this machine and is no store of files.
_SERVERS = ("jdbc", "http", "https", "kafka", "redis", "mongodb", "amqp", "nats", "pulsar", "mysql", "postgresql")
#: Ends of the names of options that are paths.
_OF_PATHS = ("path", "paths", "location", "file", "dir", "directory", "folder", "keytab")
_PATTERN = re.compile(r"[*?\[{]")
_SCHEME = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*(?=:)")


@dataclass(frozen=True, slots=True)
class Allowed:
    """What the operator allowed.

    Args:
        programs: folders that Python functions may come from.
        data: folders and URIs of them that tables may be in.
        home: the service's own folder, none of whose others tables may be in, even if it lies in one of `data`.
    """

    programs: tuple[str, ...] = ()
    data: tuple[str, ...] = ()
    home: str = ""

    def holds(self, place: str) -> bool:
        """Whether a table may be in a file, a folder or a URI.

        Spark expands patterns in paths, and reads folders with all below them.
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
    """The folder of a service that tables may be in."""
    return f"{home}/data"


@dataclass(frozen=True, slots=True)
class Value:
    """A value in a JSON document: its pointer, and its key if an object holds it."""

    where: str
    key: str
    value: Any


def check_outside(plan: Any, allowed: Allowed) -> None:
    """Refuse a plan that reaches what the operator did not allow.

    Raises:
        UnsupportedError: names the table or function.
    """
    for function in objects_of(plan, "python"):
        _check_function(function, allowed.programs)
    for table in objects_of(plan, "options"):
        options = {key: value for key, value in table.value.items() if isinstance(value, str)}
        for key, value in options.items():
            _check_option(table.where, key, value, allowed)
        _check_reached(table.where, options, allowed)


def objects_of(plan: Any, key: str) -> Iterator[Value]:
    """The objects in a plan's JSON that are values of a key, at any depth."""
    waiting = [Value("", "", plan)]
    while waiting:
        item = waiting.pop()
        if isinstance(item.value, dict):
            if item.key == key:
                yield item
            waiting += (Value(f"{item.where}/{name}", name, value) for name, value in item.value.items())
        elif isinstance(item.value, list):
            waiting += (Value(f"{item.where}/{at}", "", value) for at, value in enumerate(item.value))


def _check_function(function: Value, folders: Sequence[str]) -> None:
    """The module is that of the file, and a run imports it from there: Python knows no other of its name."""
    module, class_, file = (str(function.value.get(name, "")) for name in ("module", "class", "file"))
    where = f"{function.where}, {file}" if file else function.where
    if not any(_within(file, folder) for folder in folders) if file else not _is_found(module, folders):
        raise UnsupportedError(
            f"the Python function {module}.{class_} is in none of the folders that are allowed",
            where=where,
            remedy="ask the operator to allow its folder (--programs)",
        )
    if file and not _is_module(Path(file), module):
        raise UnsupportedError(
            f"the module {module!r} of a Python function is not that of its file {file!r}",
            where=where,
            remedy="compile the program again",
        )
    top = module.partition(".")[0]
    if not all(any(_within(str(place), folder) for folder in folders) for place in places_of(top)):
        raise UnsupportedError(
            f"Python knows a module {top!r} already, which would be imported in place of the function's",
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
            f"the option {key!r} names {place!r}, which is in none of the folders that are allowed",
            where=where,
            remedy=f"take one of {', '.join(allowed.data)}, or ask the operator to allow its folder (--data)",
        )


def _check_reached(where: str, options: Mapping[str, str], allowed: Allowed) -> None:
    """Refuse what a connector says of options that is outside, loads code, or is not known as harmless."""
    for reached in reached_by(options):
        if reached.kind is Reach.FILE:
            _check_place(where, reached.option, reached.value, allowed)
        else:
            (value,) = masked({f"{reached.option} {reached.name}": reached.value}).values()
            raise UnsupportedError(
                f"{reached.message}: {reached.option!r} = {value!r}, and the operator does not allow that",
                where=where,
                remedy=reached.remedy,
            )


def _places(key: str, value: str) -> Iterator[str]:
    """Files and folders that an option names."""
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
    """Whether a file or URI is in a folder, links and `..` followed."""
    if (remote := _remote(folder)) is not None:
        uri = _remote(place)
        return uri is not None and ".." not in uri and (uri == remote or uri.startswith(f"{remote}/"))
    if _remote(place) is not None:
        return False
    return _local(place).is_relative_to(_local(folder))


def _remote(place: str) -> str | None:
    """A URI of another scheme than `file`, without what may be left out; None for a path of this machine."""
    scheme = _SCHEME.match(place)
    if scheme is None or scheme[0].lower() == "file":
        return None
    parts = urlsplit(place)
    return f"{parts.scheme.lower()}://{parts.netloc}{unquote(parts.path)}".rstrip("/")


def _local(place: str) -> Path:
    if place.lower().startswith("file:"):
        place = unquote(urlsplit(place).path)
    return Path(place).expanduser().resolve()
