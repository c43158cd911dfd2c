"""Places of Java functions: jars and prefixes of classes from which a run may load them."""

from __future__ import annotations

import struct
import zipfile
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from compiled_plan.plans.errors import ExecutionError, UnsupportedError
from compiled_plan.plans.rex.java import JavaFunction

_OPTION = "--functions-from"
#: Bytes of the largest class file to read.
_MAX_CLASS_FILE = 16 << 20
#: Errors of `zipfile` for malformed, encrypted and otherwise unsupported files.
_MALFORMED = (zipfile.BadZipFile, RuntimeError, ValueError, struct.error, zlib.error)


def is_jar(entry: str) -> bool:
    """Return True if an entry of the allowed places of functions is a jar of Java functions."""
    return entry.endswith(".jar")


class JarError(Exception):
    """A file that is no jar, or a class file in a jar that cannot be read; the message names the file."""


def open_jar(file: Path) -> zipfile.ZipFile:
    """Open a jar. Raises JarError."""
    try:
        return zipfile.ZipFile(file)
    except OSError as fault:
        raise JarError(f"{str(file)!r} cannot be read: {fault.strerror or fault}") from None
    except _MALFORMED:
        raise JarError(f"{str(file)!r} is no jar") from None


def read_class_file(jar: zipfile.ZipFile, class_: str) -> bytes | None:
    """The class file of a class; None if the jar does not have it. Raises JarError."""
    if _entry(class_) not in jar.NameToInfo:
        return None
    try:
        with jar.open(_entry(class_)) as file:
            # The size in the jar may be wrong: read no more than the maximum.
            data = file.read(_MAX_CLASS_FILE + 1)
    except (OSError, EOFError, *_MALFORMED) as fault:
        raise JarError(f"the class {class_} in {jar.filename!r} cannot be read: {fault}") from None
    if len(data) > _MAX_CLASS_FILE:
        raise JarError(f"the class {class_} in {jar.filename!r} has more than {_MAX_CLASS_FILE >> 20} MiB")
    return data


def jar_with(class_: str, jars: Iterable[Path]) -> Path | None:
    """The first jar that has a class. Raises JarError."""
    for file in jars:
        with open_jar(file) as jar:
            if _entry(class_) in jar.NameToInfo:
                return file
    return None


def _entry(class_: str) -> str:
    return f"{class_.replace('.', '/')}.class"


@dataclass(frozen=True, slots=True)
class AllowedClasses:
    """Classes of Java functions that a run may load.

    Args:
        entries: jars whose functions may be loaded, and prefixes of classes that may be loaded from the class path.
        named: classes of functions that a plan names without their class.
    """

    entries: Sequence[str] = ()
    named: Mapping[str, str] = field(default_factory=dict)

    def class_of(self, function: JavaFunction) -> str:
        """The class of a function; empty if it is unknown."""
        return function.class_ or self.named.get(function.name, "")

    def place_of(self, function: JavaFunction, where: str) -> tuple[str, Path | None]:
        """The class of a function, and its jar; without a jar, it must be on the class path.

        Raises:
            UnsupportedError: the class is not allowed, or unknown.
            ExecutionError: a jar does not exist.
        """
        class_ = self.class_of(function)
        if not class_:
            raise UnsupportedError(
                f"the plan names the function {function.name!r} without its class, as Flink does for temporary ones",
                where=where,
                remedy=f"add --java-function {function.name}=CLASS, and {_OPTION} with its jar",
            )
        jar = self._jar_of(class_)
        if jar is None and not any(_within(class_, entry) for entry in self.entries if not is_jar(entry)):
            places = ", ".join(function.jars)
            jars = ", ".join(filter(is_jar, self.entries))
            reason = f"{jars} does not have it" if jars else "a plan may not choose which code runs"
            raise UnsupportedError(
                f"the plan calls the Java class {class_}, and {reason}",
                where=where,
                remedy=f"if you trust it, add {_OPTION} FILE.jar with its jar"
                + (f" (the program names {places})" if places else "")
                + f", or {_OPTION} {class_} if it is on the class path",
            )
        return class_, jar

    def _jar_of(self, class_: str) -> Path | None:
        jars = [Path(entry) for entry in self.entries if is_jar(entry)]
        for jar in jars:
            if not jar.is_file():
                raise ExecutionError(f"there is no jar {str(jar)!r}", remedy=f"correct {_OPTION}")
        try:
            return jar_with(class_, jars)
        except JarError as fault:
            raise ExecutionError(str(fault), remedy=f"correct {_OPTION}") from None


def _within(class_: str, entry: str) -> bool:
    return class_ == entry or class_.startswith((f"{entry}.", f"{entry}$"))
