"""Places of Java functions: jars and prefixes of classes from which a run may load them."""

from __future__ import annotations

import zipfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from compiled_plan.plans.errors import ExecutionError, UnsupportedError
from compiled_plan.plans.rex.java import JavaFunction

_OPTION = "--functions-from"


def is_jar(entry: str) -> bool:
    """Return True if an entry of the allowed places of functions is a jar of Java functions."""
    return entry.endswith(".jar")


def jar_with(class_: str, jars: Iterable[Path]) -> Path | None:
    """The first jar that has a class.

    Raises:
        zipfile.BadZipFile: a file is no jar; the message is its path.
    """
    entry = f"{class_.replace('.', '/')}.class"
    for file in jars:
        try:
            with zipfile.ZipFile(file) as jar:
                if entry in jar.NameToInfo:
                    return file
        except zipfile.BadZipFile:
            raise zipfile.BadZipFile(str(file)) from None
    return None


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
        except zipfile.BadZipFile as fault:
            raise ExecutionError(f"{str(fault)!r} is no jar", remedy=f"correct {_OPTION}") from None


def _within(class_: str, entry: str) -> bool:
    return class_ == entry or class_.startswith((f"{entry}.", f"{entry}$"))
