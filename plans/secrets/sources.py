"""Sources of secrets: the environment, folders and files, inherited file descriptors, commands."""

from __future__ import annotations

import os
import re
import shlex
import stat
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Protocol

from compiled_plan.plans.errors import ExecutionError
from compiled_plan.plans.files import quoted
from compiled_plan.plans.text.references import FORM, NAME

#: The prefix of environment variables that a plan may read by default: a plan is untrusted data, and must not read
#: others, such as the keys of a cloud.
PREFIX = "COMPILED_PLAN_SECRET_"
#: The sources of runs without any of their own.
_DEFAULT: list[str] = [f"env:{PREFIX}"]
#: Maximum size of a secret in bytes.
_LARGEST = 1 << 20


def variable(name: str, prefix: str = PREFIX) -> str:
    """The environment variable of a secret."""
    return prefix + re.sub(r"[.-]", "_", name).upper()


class SecretSource(Protocol):
    def get(self, name: str) -> str | None:
        """The value of a secret; None if the source does not have it.

        Raises:
            ExecutionError: the source cannot be read.
        """


@dataclass(frozen=True, slots=True)
class _Environment:
    """Variables of the environment: the name in upper case behind the prefix, `.` and `-` as `_`."""

    prefix: str

    def get(self, name: str) -> str | None:
        return os.environ.get(variable(name, self.prefix))


@dataclass(frozen=True, slots=True)
class _Folder:
    """A folder with a file per secret, as Kubernetes and Docker mount them; one trailing line end is not its value."""

    path: Path

    def get(self, name: str) -> str | None:
        if not self.path.is_dir():
            raise _fault(f"there is no folder of secrets {quoted(self.path)}", "create it, or correct --secrets")
        file = self.path / name
        if not file.is_file():
            return None
        return re.sub(r"\r?\n\Z", "", _text(file))


@dataclass(frozen=True)
class _File:
    """A file of lines `NAME=value`, readable by its owner alone."""

    path: Path

    def get(self, name: str) -> str | None:
        return self._values.get(name)

    @cached_property
    def _values(self) -> Mapping[str, str]:
        try:
            with self.path.open("rb") as file:
                facts = os.fstat(file.fileno())
                if facts.st_mode & (stat.S_IRWXG | stat.S_IRWXO):
                    mode = f"{stat.S_IMODE(facts.st_mode):04o}"
                    raise _fault(
                        f"other users may access the file of secrets {quoted(self.path)}: its mode is {mode}",
                        f"chmod 600 {shlex.quote(str(self.path))}",
                    )
                return _parsed(file.read(), quoted(self.path))
        except OSError as fault:
            message = f"cannot read the file of secrets {quoted(self.path)}: {fault.strerror}"
            raise _fault(message, "create it, or correct --secrets") from None


@dataclass(frozen=True)
class _Descriptor:
    """A file descriptor that the process inherits, with lines `NAME=value`; read once, to its end."""

    number: int

    def get(self, name: str) -> str | None:
        return self._values.get(name)

    @cached_property
    def _values(self) -> Mapping[str, str]:
        try:
            with os.fdopen(self.number, "rb") as file:
                return _parsed(file.read(), f"file descriptor {self.number}")
        except OSError as fault:
            message = f"cannot read secrets from file descriptor {self.number}: {fault.strerror}"
            raise _fault(message, "open it for the command: `--secrets fd:3 3< FILE`") from None


@dataclass(frozen=True, slots=True)
class _Command:
    """A command, run without a shell: `{name}` in its arguments is the name; its output is the value."""

    arguments: tuple[str, ...]
    seconds: float

    def get(self, name: str) -> str | None:
        argv = [argument.replace("{name}", name) for argument in self.arguments]
        command = quoted(self.arguments[0])
        try:
            done = subprocess.run(
                argv, stdin=subprocess.DEVNULL, capture_output=True, timeout=self.seconds, check=False
            )
        except subprocess.TimeoutExpired:
            message = f"the command {command} did not return the secret {name} within {self.seconds:g} seconds"
            raise _fault(message, "run it by hand, and see why") from None
        except OSError as fault:
            raise _fault(f"cannot run the command {command}: {fault.strerror}", "correct --secrets") from None
        if done.returncode != 0:
            return None
        return re.sub(r"\r?\n\Z", "", _decoded(done.stdout, f"the output of {command}"))


def source_of(text: str) -> SecretSource:
    """The source that an option names.

    Raises:
        ExecutionError: unknown or malformed.
    """
    kind, colon, rest = text.partition(":")
    if not colon or kind not in _KINDS or not (rest or kind == "env"):
        raise _fault(f"invalid source of secrets {text!r}", f"write one of {', '.join(FORMS)}")
    return _KINDS[kind](rest)


FORMS = ("env:PREFIX", "dir:FOLDER", "file:FILE", "fd:NUMBER", "command:COMMAND")


def _descriptor(text: str) -> SecretSource:
    if re.fullmatch(r"[0-9]{1,4}", text) is None:
        raise _fault(f"invalid file descriptor {text!r} in --secrets", "write fd: and its number, as in fd:3")
    return _Descriptor(int(text))


def source_of_command(text: str, seconds: float = 30) -> SecretSource:
    """The source `command:TEXT`, whose command has a timeout in seconds.

    Raises:
        ExecutionError: a quote is open.
    """
    try:
        arguments = shlex.split(text)
    except ValueError as fault:
        raise _fault(f"invalid command of secrets: {fault}", "close its quotes") from None
    if not any("{name}" in argument for argument in arguments[1:]):
        arguments.append("{name}")
    return _Command(tuple(arguments), seconds)


_KINDS: Mapping[str, Callable[[str], SecretSource]] = {
    "env": _Environment,
    "dir": lambda text: _Folder(Path(text).expanduser()),
    "file": lambda text: _File(Path(text).expanduser()),
    "fd": _descriptor,
    "command": source_of_command,
}


def written(values: Mapping[str, str]) -> bytes:
    """Secrets as lines, for a file or a file descriptor."""
    return "".join(f'{name}="{_escaped(value)}"\n' for name, value in values.items()).encode()


def _escaped(value: str) -> str:
    return re.sub(r'[\\"\n\r]', lambda match: _ESCAPES[match[0]], value)


_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r"}
_PLAIN = {escape: sign for sign, escape in _ESCAPES.items()} | {"\\t": "\t", "\\$": "$"}
_LINE = re.compile(r"(?:export\s+)?(?P<name>[^\s=#]+)\s*=\s*(?P<value>.*)")
_QUOTED = re.compile(r""""(?P<double>(?:[^"\\]|\\.)*)"|'(?P<single>[^']*)'""")


def _parsed(data: bytes, where: str) -> Mapping[str, str]:
    """The values of lines `NAME=value`, `NAME="value"` with escapes, `NAME='value'`; `#` begins a comment line."""
    return dict(_entries(_decoded(data, where), where))


def _entries(text: str, where: str) -> Iterator[tuple[str, str]]:
    for number, line in enumerate(text.splitlines(), 1):
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        entry = _LINE.fullmatch(line)
        value = None if entry is None else _value(entry["value"])
        if entry is None or value is None or NAME.fullmatch(entry["name"]) is None:
            raise ExecutionError(
                "a line of secrets is malformed",
                where=f"{where}, line {number}",
                remedy=f"write NAME=value; a name is {FORM}; a value may be in quotes",
            )
        yield entry["name"], value


def _value(text: str) -> str | None:
    """The value of a line; None if its quotes are not closed."""
    if text[:1] not in ('"', "'"):
        return text
    quoted_text = _QUOTED.fullmatch(text)
    if quoted_text is None:
        return None
    if quoted_text["single"] is not None:
        return quoted_text["single"]
    return re.sub(r"\\.", lambda match: _PLAIN.get(match[0], match[0]), quoted_text["double"])


def _text(file: Path) -> str:
    try:
        with file.open("rb") as opened:
            return _decoded(opened.read(_LARGEST + 1), quoted(file))
    except OSError as fault:
        raise _fault(f"cannot read the secret in {quoted(file)}: {fault.strerror}", "correct its permissions") from None


def _decoded(data: bytes, where: str) -> str:
    if len(data) > _LARGEST:
        raise _fault(f"{where} is larger than 1 MiB", "a secret is a short text")
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise _fault(f"{where} is not UTF-8", "encode it, for instance with base64") from None


def _fault(message: str, remedy: str) -> ExecutionError:
    return ExecutionError(message, remedy=remedy)


def sources_of(texts: Sequence[str]) -> tuple[SecretSource, ...]:
    """The sources that options name, in their order; the default if there are none.

    Raises:
        ExecutionError: one is unknown or malformed.
    """
    return tuple(map(source_of, texts or _DEFAULT))


def set_default(texts: Sequence[str]) -> None:
    """Set the sources of runs in this process without any of their own.

    Raises:
        ExecutionError: one is unknown or malformed.
    """
    if texts:
        sources_of(texts)
        _DEFAULT[:] = texts


def only_here(texts: Sequence[str]) -> bool:
    """Return True if a source is one of this process alone."""
    return any(text.startswith("fd:") for text in texts)
