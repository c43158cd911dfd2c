"""Defaults of options from `compiled-plan.toml`, searched upwards from the working folder.

Options with one meaning in all commands stand at the top of the file, the options of one command in its table. Keys,
types and paths follow the declarations of the options. A relative path is relative to the file.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from compiled_plan.commands.registry import COMMANDS, UMBRELLA
from compiled_plan.commands.trust import is_trusted
from compiled_plan.plans.errors import ProgramError
from compiled_plan.plans.files import quoted
from compiled_plan.plans.files.faults import reading

NAME = "compiled-plan.toml"
#: Options with one meaning in all commands that have them.
SHARED = (
    "conf",
    "conf-file",
    "functions-from",
    "init",
    "java-function",
    "job-parameter",
    "master",
    "secrets",
    "time-zone",
)
#: Tables of a file.
_TABLES = tuple(name for name, command in COMMANDS.items() if command.configurable)
#: First words of options that permit code: nobody should give such a permission to all later commands in a folder.
_PERMISSIONS = ("allow-", "trust-")
_KEY = re.compile(r"""\s*((?:"[^"]*"|'[^']*'|[\w-]+)(?:\s*\.\s*(?:"[^"]*"|'[^']*'|[\w-]+))*)\s*=""")
_HEADER = re.compile(r"\s*\[+([^\[\]]+)\]")
_PART = re.compile(r""""([^"]*)"|'([^']*)'|([\w-]+)""")


@dataclass(frozen=True, slots=True)
class Declared:
    """An option of a command, as declared.

    Args:
        key: its name without dashes.
        type: `bool` for a flag, `int`, `float`, or `str`.
        repeats: it takes several values.
        form: the form of its value, such as `FILE` or `K=V`.
    """

    key: str
    type: type
    repeats: bool
    form: str


@dataclass(frozen=True, slots=True)
class Default:
    """The default of an option: its value as of the command line, and its line in the file."""

    value: object
    line: int


class ConfigFile:
    """A config file.

    Raises:
        ProgramError: the file cannot be read, is not TOML, or has an unknown key at its top.
    """

    def __init__(self, path: Path) -> None:
        import tomllib

        self.path = path.absolute()
        with reading(path, "config file", ProgramError):
            self.text = path.read_text(encoding="utf-8")
        try:
            self.content: Mapping[str, Any] = tomllib.loads(self.text)
        except tomllib.TOMLDecodeError as fault:
            raise ProgramError(
                f"the config file is not valid TOML: {fault}", where=quoted(self.path), remedy="correct that line"
            ) from None
        for key, value in self.content.items():
            if key not in SHARED and not (key in _TABLES and isinstance(value, dict)):
                raise self._unknown(key)

    def defaults(self, command: str, options: Iterable[Declared]) -> dict[str, Default]:
        """Defaults of a command's options, by their keys.

        Args:
            command: the name of the command, and of its table.
            options: its options.

        Raises:
            ProgramError: an unknown option, or a value of the wrong type.
        """
        table = self.content.get(command, {})
        by_key = {option.key: option for option in options}
        for key in table:
            if not _may_be_set(key):
                raise self._fault(
                    f"{key} cannot be set in a config file", (command, key), f"give --{key} on the command line"
                )
            if key not in by_key:
                remedy = f"options of {command}: {', '.join(sorted(filter(_may_be_set, by_key)))}"
                raise self._fault(f"{command} has no option {key!r}", (command, key), remedy)
        places = {key: (key,) for key in SHARED if key in self.content} | {key: (command, key) for key in table}
        return {
            key: Default(self._value(by_key[key], place), self._line(place))
            for key, place in places.items()
            if key in by_key
        }

    def lines(self) -> Iterator[str]:
        """The keys with their values and lines; secrets are hidden."""
        for place, value in _leaves(self.content):
            line = self._line(place)
            yield f"{'.'.join(place)} = {_shown('.'.join(place), value)}" + (f"  (line {line})" if line else "")

    def _value(self, option: Declared, place: tuple[str, ...]) -> object:
        value: Any = self.content
        for key in place:
            value = value[key]
        if not option.repeats:
            return self._scalar(option, value, place)
        if isinstance(value, dict) and option.form.count("=") == 1 and "|" not in option.form:
            pairs = (f"{'.'.join(keys)}={self._plain(scalar, place, keys)}" for keys, scalar in _leaves(value))
            return [_located(option.form, pair, self.path.parent) for pair in pairs]
        items = value if isinstance(value, list) else [value]
        return [self._scalar(option, item, place) for item in items]

    def _scalar(self, option: Declared, value: object, place: tuple[str, ...]) -> object:
        if option.type is float and type(value) is int:
            return float(value)
        if type(value) is not option.type:
            form = option.form and f" ({option.form})"
            words = {bool: "true or false", int: "a whole number", float: "a number"}
            word = words.get(option.type, f"a text in quotes{form}")
            if option.repeats:
                word += ", a list of these" + (", or a table" if "=" in option.form else "")
            raise self._fault(f"wrong type of {option.key}", place, f"write {word}")
        return _located(option.form, value, self.path.parent) if isinstance(value, str) else value

    def _plain(self, value: object, place: tuple[str, ...], keys: tuple[str, ...]) -> str:
        if isinstance(value, bool):
            return str(value).lower()
        if isinstance(value, str | int | float):
            return str(value)
        message = f"wrong type of {'.'.join(keys)}"
        raise self._fault(message, (*place, *keys), "write a text, a number, true or false")

    def _unknown(self, key: str) -> ProgramError:
        commands = ", ".join(f"[{name}]" for name in _TABLES)
        remedy = f"write {', '.join(SHARED)}, or an option in the table of a command: {commands}"
        return self._fault(f"unknown key {key!r} at the top of the config file", (key,), remedy)

    def _fault(self, message: str, place: tuple[str, ...], remedy: str) -> ProgramError:
        return ProgramError(message, where=self._where(place), remedy=remedy)

    def _line(self, place: tuple[str, ...]) -> int:
        """The line of a key, or of the table around it; 0 if unknown."""
        lines = _lines(self.text)
        return next((lines[place[:end]] for end in range(len(place), 0, -1) if place[:end] in lines), 0)

    def _where(self, place: tuple[str, ...]) -> str:
        line = self._line(place)
        return f"{quoted(self.path)}, line {line}" if line else quoted(self.path)


def nearest_file() -> Path | None:
    """The config file of the working folder or of the nearest folder above it, trusted or not."""
    try:
        folder = Path.cwd()
    except FileNotFoundError:
        return None
    return next((path for place in (folder, *folder.parents) if (path := place / NAME).is_file()), None)


def searched_file() -> ConfigFile | None:
    """The nearest config file.

    Raises:
        ProgramError: the user has not agreed to its content; or it is not valid.
    """
    path = nearest_file()
    if path is None:
        return None
    config = ConfigFile(path)
    if not is_trusted(config.path, config.text):
        raise ProgramError(
            "the config file is new or has changed, and its settings can run code",
            where=quoted(config.path),
            remedy=f"read it, and run `{UMBRELLA} config --trust`; or call the command with --no-config",
        )
    return config


def _may_be_set(key: str) -> bool:
    return not key.startswith(_PERMISSIONS)


def _leaves(table: Mapping[str, object], above: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], object]]:
    """The values of a table with their keys; `spark.executor.memory = "2g"` has three."""
    for key, value in table.items():
        if isinstance(value, dict):
            yield from _leaves(value, (*above, key))
        else:
            yield (*above, key), value


def _shown(key: str, value: object) -> str:
    """A value with its secrets hidden."""
    from compiled_plan.plans.text.masking import HIDDEN, is_sensitive, shown_value

    if isinstance(value, list):
        return f"[{', '.join(_shown(key, item) for item in value)}]"
    if isinstance(value, dict):
        pairs = (f"{'.'.join(keys)} = {_shown('.'.join((key, *keys)), item)}" for keys, item in _leaves(value))
        return f"{{{', '.join(pairs)}}}"
    name, equals, _ = value.partition("=") if isinstance(value, str) else ("", "", "")
    if equals and is_sensitive(name):
        return f"'{name}={HIDDEN}'"
    return shown_value(key, value) if isinstance(value, str) else str(value)


def _lines(text: str) -> dict[tuple[str, ...], int]:
    """The line of each key and table."""
    lines: dict[tuple[str, ...], int] = {}
    header: tuple[str, ...] = ()
    for number, line in enumerate(text.splitlines(), 1):
        if (table := _HEADER.match(line)) is not None:
            path = header = _path(table[1])
        elif (pair := _KEY.match(line)) is not None:
            path = (*header, *_path(pair[1]))
        else:
            continue
        for end in range(1, len(path) + 1):
            lines.setdefault(path[:end], number)
    return lines


def _path(text: str) -> tuple[str, ...]:
    return tuple("".join(parts) for parts in _PART.findall(text))


def _located(form: str, text: str, folder: Path) -> str:
    """A value with its paths made absolute; `form` tells which of its parts are paths."""
    forms = re.sub(r"[\[\]]", "", form).split("|")
    for alternative in forms:
        kind, colon, place = alternative.partition(":")
        if colon and place in ("FOLDER", "FILE") and text.startswith(f"{kind}:"):
            return f"{kind}:{_absolute(text.removeprefix(f'{kind}:'), folder)}"
        head, _, tail = alternative.partition("=")
        if tail in ("DIR", "FOLDERS") and "=" in text:
            name, _, value = text.partition("=")
            paths = value.split(os.pathsep) if tail == "FOLDERS" else [value]
            return f"{name}={os.pathsep.join(_absolute(path, folder) for path in paths)}"
        extension = head.partition(".")[2]
        if not tail and ((extension and (len(forms) == 1 or text.endswith(f".{extension}"))) or head in _PATHS):
            return _absolute(text, folder)
    return text


_PATHS = ("DIR", "FILE", "PATH")


def _absolute(text: str, folder: Path) -> str:
    if not text or "://" in text:
        return text
    return str(folder / Path(text).expanduser())
