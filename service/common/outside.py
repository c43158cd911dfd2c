"""What a plan reaches outside of itself: Python functions, and tables in files. Only where the operator allowed it.

Looked for in the JSON, whatever the node is, so that no new node type is forgotten.
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
class _Found:
    where: str
    key: str
    value: Any


def check_outside(plan: Any, allowed: Allowed) -> None:
    """Refuse a plan that reaches what the operator did not allow.

    Args:
        plan: its JSON.
        allowed: what is.

    Raises:
        UnsupportedError: names the table or function.
    """
    for found in _values(plan):
        if found.key == "python" and isinstance(found.value, dict):
            _check_function(found, allowed.programs)
        elif found.key == "options" and isinstance(found.value, dict):
            for key, value in found.value.items():
                if isinstance(value, str):
                    _check_option(found.where, key, value, allowed)
            _check_reached(found.where, found.value, allowed)


def _values(plan: Any) -> Iterator[_Found]:
    waiting = [_Found("", "", plan)]
    while waiting:
        found = waiting.pop()
        yield found
        if isinstance(found.value, dict):
            waiting += (_Found(f"{found.where}/{key}", key, value) for key, value in found.value.items())
        elif isinstance(found.value, list):
            waiting += (_Found(f"{found.where}/{at}", "", value) for at, value in enumerate(found.value))


def _check_function(found: _Found, folders: Sequence[str]) -> None:
    """The module is that of the file, and a run imports it from there: Python knows no other of its name."""
    module, file = str(found.value.get("module", "")), str(found.value.get("file", ""))
    where = f"{found.where}, {file}" if file else found.where
    if not any(_within(file, folder) for folder in folders) if file else not _is_found(module, folders):
        raise UnsupportedError(
            f"the Python function {module}.{found.value.get('class', '')} is in none of the folders that are allowed",
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


def _check_reached(where: str, options: Mapping[str, Any], allowed: Allowed) -> None:
    """Refuse what a connector says of options that is outside, loads code, or is not known as harmless."""
    for reached in reached_by({key: value for key, value in options.items() if isinstance(value, str)}):
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
        found = _remote(place)
        return found is not None and ".." not in found and (found == remote or found.startswith(f"{remote}/"))
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
