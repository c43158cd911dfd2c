"""Kinds of files that users confuse, recognised by their text: plans, and programs in SQL and Python."""

from __future__ import annotations

import re
import shlex
from pathlib import Path, PurePath

from compiled_plan.plans.errors import CompiledPlanError
from compiled_plan.plans.files.paths import quoted

PLAN, PROGRAM = "plan", "program"
_SQL, _PYTHON = "SQL", "Python"
_ENDINGS = {_SQL: ".sql", _PYTHON: ".py"}
_BY_ENDING = {ending: language for language, ending in _ENDINGS.items()}
_PROGRAMS = "name a program in SQL (.sql) or Python (.py)"
_BLANK = "\ufeff \t\r\n\0"

_STARTS = {
    _SQL: re.compile(
        r"--|/\*|(?:alter|begin|compile|create|drop|execute|explain|insert|reset|select|set|use|with)\b", re.IGNORECASE
    ),
    _PYTHON: re.compile(r'(?:import|from)\s+[\w.]+\s|def\s+\w+\s*\(|class\s+\w+\s*[:(]|"""'),
}
_QUERY = re.compile(r"\s*(?:select|values|with)\s", re.IGNORECASE)
#: Files of other tools, which the start of their text does not distinguish from a wrong program.
_FOREIGN = {".yaml": "YAML", ".yml": "YAML", ".java": "Java", ".scala": "Scala", ".ipynb": "a notebook"}


def refuse_other_kind(path: str | Path, text: str, noun: str, error: type[CompiledPlanError]) -> None:
    """Raise `error` if a file is not of the expected kind (`PLAN` or `PROGRAM`), with the command that accepts it."""
    fault = _no_plan(PurePath(path), text) if noun == PLAN else _no_program(PurePath(path), text)
    if fault is not None:
        raise error(fault[0], where=quoted(path), remedy=fault[1])


def _no_plan(path: PurePath, text: str) -> tuple[str, str] | None:
    start = text.lstrip(_BLANK)
    if not start:
        return "the plan file is empty", "compile the program again: `compile-plan PROGRAM -o PLAN.json`"
    language = None if start[0] in "{[" else _BY_ENDING.get(path.suffix) or _language(start)
    if language is None:
        return None
    if language == _SQL and is_query(start):
        return "not a plan but a query", f"`plan-shell -f {shlex.quote(str(path))}` shows its rows"
    program = path if path.suffix in _BY_ENDING else path.with_suffix(_ENDINGS[language])
    renaming = "" if program == path else f"name it {shlex.quote(str(program))}, then "
    plan = shlex.quote(str(path.with_suffix(".json")))
    compiling = f"`compile-plan {shlex.quote(str(program))} -o {plan}`"
    return f"not a plan but a program in {language}", f"{renaming}compile it with {compiling} and name {plan} here"


def is_query(text: str) -> bool:
    """Return True if a text begins like a query."""
    return _QUERY.match(text) is not None


def _no_program(path: PurePath, text: str) -> tuple[str, str] | None:
    start = text.lstrip(_BLANK)
    if start.startswith("{"):
        if '"nodes"' not in text:
            return "not a program but JSON", _PROGRAMS
        name = shlex.quote(str(path))
        return "not a program but a compiled plan", f"`execute-plan {name}` runs it, `edit-plan {name}` shows it"
    foreign = _FOREIGN.get(path.suffix.lower())
    if foreign is not None:
        return f"not a program but {foreign}", _PROGRAMS
    language = _language(start)
    if language is not None and (language == _PYTHON) != (path.suffix == _ENDINGS[_PYTHON]):
        named = path.with_suffix(_ENDINGS[language])
        return f"the program is in {language}, and its name does not say so", f"name it {shlex.quote(str(named))}"
    return None


def _language(start: str) -> str | None:
    """The language of a program by its start; None if unknown."""
    return next((language for language, pattern in _STARTS.items() if pattern.match(start)), None)
