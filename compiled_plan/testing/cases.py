"""Tests as data: the cases of a file, checked against `schemas/plan-test.schema.json`."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError, best_match
from jsonschema.validators import extend

from compiled_plan.compiling.scripts import PYTHON, SQL
from compiled_plan.plans.errors import PlanError, ProgramError
from compiled_plan.plans.findings import did_you_mean
from compiled_plan.plans.text.durations import parse_duration
from compiled_plan.schemas import TEST, load
from compiled_plan.testing.document import UNSAVED, Document, KeyPath, read_document

#: The time at which a test begins by default.
START = "2024-01-01 00:00:00"
#: Names of files of tests in a folder.
PATTERNS = ("*.test.yaml", "*.test.yml")
#: Suffixes of programs, in the order in which a file of tests looks for the one with its name.
_SUFFIXES = (SQL, PYTHON, ".json")
#: The program of tests without a file.
CALLERS = "program"
#: The keys that give a test its program.
_PROGRAM = frozenset(("program", "sql"))


@dataclass(frozen=True, slots=True)
class Step:
    """A step of a test.

    Args:
        kind: the name of the step: `rows`, `expect`, ....
        value: its value, as in the file.
        path: its place in the file.
        error: a part of the error with which it must fail; empty if it must not.
    """

    kind: str
    value: Any
    path: KeyPath
    error: str = ""

    @property
    def spot(self) -> KeyPath:
        """The place of the step's value."""
        return (*self.path, self.kind)


@dataclass(frozen=True, slots=True)
class Case:
    """A test.

    Args:
        name: its name.
        document: its file.
        path: its place in the file.
        places: the places of its keys, some of which it shares with other tests.
        program: the file of the program or plan; empty if `sql` has the program.
        sql: the program's text.
        init: SQL files that prepare the session.
        settings: session options.
        functions: the fixed results of functions in Python, by name, see `functions`.
        clock: the processing time at the start, in ms since 1970.
        engine: the engine that the file demands; empty for the default.
        steps: its steps.
        error: a part of the error with which the program must be refused; empty if it must not.
    """

    name: str
    document: Document
    path: KeyPath
    places: Mapping[str, KeyPath]
    program: str
    sql: str
    init: tuple[str, ...]
    settings: Mapping[str, str]
    functions: Mapping[str, object]
    clock: int
    engine: str
    steps: tuple[Step, ...]
    error: str

    @property
    def ends(self) -> bool:
        """True if the input of the test ends."""
        return any(step.kind == "end" for step in self.steps)

    @property
    def files(self) -> list[str]:
        """The files of the test: its own, programs and init files."""
        named = [name for name in (self.program, *self.init, *self.upgrades) if name]
        return [str(self.document.path), *map(self.file, named)]

    @property
    def upgrades(self) -> list[str]:
        """The programs of its upgrades."""
        values = (step.value for step in self.steps if step.kind == "upgrade")
        return [value["program"] if isinstance(value, dict) else value for value in values]

    def place(self, key: str) -> KeyPath:
        """The place of a key; that of the test if it lacks the key."""
        return self.places.get(key, self.path)

    def file(self, name: str) -> str:
        """A file that the test names, relative to its own."""
        return name if "://" in name else str(self.document.path.parent / name)


def cases_in(path: str | Path) -> list[Case]:
    """The tests of a file.

    Raises:
        ProgramError: the file cannot be read, or is no file of tests; with the line.
    """
    return cases_of(read_document(path))


def cases_of(document: Document) -> list[Case]:
    """The tests of a parsed file. Raises as `cases_in` does."""
    return list(_cases(document))


def cases_of_text(text: str) -> list[Case]:
    """The tests of a text, whose program is that of the caller, whatever file it names.

    Raises:
        ProgramError: the text is no file of tests; with the line.
    """
    document = read_document(UNSAVED, text)
    if isinstance(document.value, dict) and "sql" not in document.value:
        document.value = document.value | {"program": CALLERS}
    return cases_of(document)


def case_named(cases: Sequence[Case], name: str) -> Case:
    """The test with a name.

    Raises:
        ProgramError: there is none.
    """
    case = next((case for case in cases if case.name == name), None)
    if case is None:
        names = [case.name for case in cases]
        raise ProgramError(f"there is no test {name!r}", where="tests", remedy=did_you_mean(name, names))
    return case


def files_in(place: str | Path) -> list[Path]:
    """The files of tests in a folder and below, or the file itself."""
    place = Path(place)
    if not place.is_dir():
        return [place]
    return sorted({file for pattern in PATTERNS for file in place.rglob(pattern)})


def _cases(document: Document) -> Iterator[Case]:
    _check(document)
    root: Mapping[str, Any] = document.value
    tests: Sequence[Mapping[str, object]] = root.get("tests") or [root]
    names: set[str] = set()
    for at, test in enumerate(tests):
        path: KeyPath = ("tests", at) if "tests" in root else ()
        own = _PROGRAM if not _PROGRAM.isdisjoint(test) else frozenset[str]()
        shared = {key: item for key, item in root.items() if key != "tests" and key not in own}
        places = {key: (key,) for key in shared} | {key: (*path, key) for key in test}
        case = _case(document, path, places, shared | dict(test), at)
        if case.name in names:
            raise document.error((*path, "name"), f"two tests are named {case.name!r}", "name them apart")
        names.add(case.name)
        yield case


def _case(document: Document, path: KeyPath, places: Mapping[str, KeyPath], test: Mapping[str, Any], at: int) -> Case:
    if test.keys().isdisjoint(_PROGRAM):
        test = {**test, **_program_beside(document.path)}
    if ("program" in test) == ("sql" in test):
        problem = "a test has either `program` or `sql`" if "sql" in test else "the test has no program"
        raise document.error(path, problem, "write `program: FILE.sql`")
    if "steps" not in test and "error" not in test:
        raise document.error(path, "the test has no steps", "write `steps:` with a list, such as `- rows: ...`")
    file = "" if path else stem_of(document.path)
    name = str(test.get("name") or file or f"test {at + 1}")
    init = test.get("init") or []
    steps = tuple(
        _step(document, (*places["steps"], number), step) for number, step in enumerate(test.get("steps") or ())
    )
    clock = time_of(document, places.get("clock", path), test.get("clock") or START)
    settings = {key: _setting(value) for key, value in (test.get("set") or {}).items()}
    return Case(
        name,
        document,
        path,
        places,
        str(test.get("program") or ""),
        str(test.get("sql") or ""),
        tuple([init] if isinstance(init, str) else init),
        settings,
        test.get("functions") or {},
        clock,
        str(test.get("engine") or ""),
        steps,
        str(test.get("error") or ""),
    )


def stem_of(file: Path) -> str:
    """The name of a file of tests without `.test.yaml`."""
    return re.sub(r"(\.test)?\.ya?ml$", "", file.name)


def _program_beside(file: Path) -> dict[str, str]:
    """The key `program` with the program named as a file of tests, `x.sql` for `x.test.yaml`; empty without one."""
    names = (f"{stem_of(file)}{suffix}" for suffix in _SUFFIXES)
    return next(({"program": name} for name in names if file.name and (file.parent / name).is_file()), {})


def _setting(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _step(document: Document, path: KeyPath, step: Mapping[str, object]) -> Step:
    kinds = [kind for kind in step if kind != "error"]
    if len(kinds) != 1:
        problem = f"a step with {' and '.join(kinds)}" if kinds else "a step that does nothing"
        raise document.error(path, problem, "write one action per step, each with its own `-`")
    return Step(kinds[0], step[kinds[0]], path, str(step.get("error") or ""))


def time_of(document: Document, path: KeyPath, text: str, now: int | None = None) -> int:
    """A time in ms since 1970: a timestamp in UTC, or with `now` a duration after it, `+2 h`.

    Raises:
        ProgramError: neither.
    """
    try:
        if now is not None and text.startswith("+"):
            return now + parse_duration(text[1:].strip())
        point = dt.datetime.fromisoformat(text.strip().replace(" ", "T", 1))
        point = point if point.tzinfo is not None else point.replace(tzinfo=dt.UTC)
        return (point - dt.datetime(1970, 1, 1, tzinfo=dt.UTC)) // dt.timedelta(milliseconds=1)
    except (ValueError, PlanError):
        forms = "a timestamp, `2024-01-01 00:00:00`" + ("" if now is None else ", or a duration, `+2 h`")
        raise document.error(path, f"{text!r} is no time", f"write {forms}") from None


def _check(document: Document) -> None:
    """Raise for the first violation of the schema."""
    fault = best_match(_validator().iter_errors(document.value))
    if fault is None:
        return
    path: KeyPath = tuple(fault.absolute_path)
    message, remedy = _explained(fault)
    raise document.error(path, message, remedy)


def _explained(fault: ValidationError) -> tuple[str, str]:
    """The message and the remedy for a violation."""
    from compiled_plan.testing.values import shown

    at = ".".join(map(str, fault.absolute_path)) or "the file"
    remedy = fault.schema.get("description", "see the schema plan-test.schema.json")
    match fault.validator:
        case "additionalProperties" if isinstance(fault.instance, dict):
            known = list(fault.schema.get("properties", {}))
            unknown = next(key for key in fault.instance if key not in known)
            return f"{at} has the unknown key {unknown!r}", did_you_mean(str(unknown), known)
        case "type":
            types = fault.validator_value
            names = " or ".join(_TYPES[name] for name in ([types] if isinstance(types, str) else types))
            return f"{at} is not {names}", remedy
        case "anyOf" | "oneOf" | "not":
            return f"{at} is {shown(fault.instance)}", remedy
        case "enum":
            return f"{at} is {fault.instance!r}", f"write one of: {', '.join(fault.validator_value)}"
    return f"{at}: {fault.message}", remedy


_TYPES = {
    "object": "a mapping",
    "array": "a list",
    "string": "a text",
    "null": "empty",
    "boolean": "true or false",
    "integer": "a whole number",
    "number": "a number",
}


@cache
def _validator() -> Draft202012Validator:
    types = Draft202012Validator.TYPE_CHECKER.redefine(
        "number", lambda _, value: isinstance(value, int | float | Decimal) and not isinstance(value, bool)
    )
    return extend(Draft202012Validator, type_checker=types)(load(TEST))


def no_tests(place: str, name: str = "") -> ProgramError:
    """The error of a folder without files of tests, or without a test of a name."""
    if name:
        return ProgramError(f"no test in {place} has {name!r} in its name", where=place, remedy="give another text")
    return ProgramError(
        f"no tests in {place}", where=place, remedy=f"name files of tests {' or '.join(PATTERNS)}, or give a file"
    )
