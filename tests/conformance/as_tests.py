"""Conformance cases as tests of `test-plan`: rows of the data files, the end of the input, Flink's result as table."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

from compiled_plan.testing.cases import Case as PlanTest
from compiled_plan.testing.cases import cases_of
from compiled_plan.testing.document import Document
from tests.conformance.cases import Case

_TABLE = re.compile(r"CREATE TABLE\s+([\w.`]+)\s*\(.*?\)\s*WITH\s*\((.*?)\);", re.DOTALL | re.IGNORECASE)
_OPTION = re.compile(r"'([^']+)'\s*=\s*'([^']*)'")
#: Bytes are Base64 in JSON, and hexadecimal in tests.
_BYTES = re.compile(r"\b(VAR)?BINARY\b|\bBYTES\b")
#: Cases that are about the text of the files, or have other files.
_OF_TEXT = frozenset(("raw_lines", "catalogs_and_databases"))
#: Kinds of changes of Debezium's operations, of the row before and after.
_KINDS = {"c": (None, "+I"), "r": (None, "+I"), "u": ("-U", "+U"), "d": ("-D", None)}


def as_test(case: Case, out: Path, plan: str = "") -> PlanTest | None:
    """The test of a case; None if its rows are not in JSON files, or computed from their text.

    Args:
        case: the case.
        out: the folder of its sinks.
        plan: the file of the plan to test; by default the test compiles the program.
    """
    steps = _steps(case, out)
    if steps is None:
        return None
    tested = {"program": plan} if plan else {"sql": case.program(out)}
    document = Document(case.folder / "case.test.yaml", "", {**tested, "name": case.name, "steps": steps})
    (test,) = cases_of(document)
    return test


@cache
def is_test(case: Case) -> bool:
    """Return True if a case that runs has a test."""
    return not case.refused_at and _steps(case, Path("out")) is not None


def _steps(case: Case, out: Path) -> list[dict[str, Any]] | None:
    """The steps of the test of a case; None if it has none."""
    program = case.program(out)
    if case.folder.name in _OF_TEXT or _BYTES.search(program):
        return None
    rows = dict(_rows(case, program, out))
    if not rows or any(items is None for items in rows.values()):
        return None
    steps: list[dict[str, Any]] = [{"rows": rows}, {"end": None}]
    return steps + [{"expect": {sink: {"table": expected}}} for sink, expected in case.expected["sinks"].items()]


def _rows(case: Case, program: str, out: Path) -> Iterator[tuple[str, list[Any] | None]]:
    for name, text in _TABLE.findall(program):
        options = dict(_OPTION.findall(text))
        path = options.get("path", "")
        if path.startswith(str(out)) or options.get("connector") in ("print", "blackhole"):
            continue
        lines = [line for file in _files(Path(path)) for line in file.read_text().splitlines() if line]
        yield name.strip("`"), _changes(lines, options.get("format", ""))


def _files(path: Path) -> list[Path]:
    return sorted(file for file in path.rglob("*") if file.is_file()) if path.is_dir() else [path]


def _changes(lines: list[str], format_: str) -> list[Any] | None:
    events = [json.loads(line, parse_float=Decimal) for line in lines]
    if format_ == "json":
        return events
    if format_ != "debezium-json":
        return None
    changes = []
    for event in events:
        event = event.get("payload", event)
        for side, kind in zip(("before", "after"), _KINDS[event["op"]], strict=True):
            if kind is not None:
                changes.append({kind: event[side]})
    return changes
