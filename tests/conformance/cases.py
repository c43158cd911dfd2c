"""The conformance cases: programs, Flink's plans for them, and Flink's results.

`cases/<category>/<name>.txtar` holds `program.sql`, `data/`, `flink-plan.json` (the plan of Flink 2.3.0) and
`expected.json` (its result, or its error and the error's stage). `python -m tests.conformance.record` records both
from a real Flink. Results are compared as the table that the changelog results in, since a micro-batch may skip
intermediate changes.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from pathlib import Path
from typing import Any

from tests.support.packed import unpacked

ARCHIVES = Path(__file__).with_name("cases")
CASES = unpacked(ARCHIVES)
#: Fields of nodes in which equal plans may differ.
LEFT_OUT = ("id", "uid", "ttlAsCompiled", "description")


@dataclass(frozen=True)
class Case:
    """One case folder."""

    folder: Path

    @property
    def name(self) -> str:
        return f"{self.folder.parent.name}/{self.folder.name}"

    @cached_property
    def expected(self) -> dict[str, Any]:
        document: dict[str, Any] = json.loads((self.folder / "expected.json").read_text(), parse_float=Decimal)
        return document

    @property
    def refused_at(self) -> str:
        """`compile` or `run` if Flink refuses the program; empty if it has a result."""
        return str(self.expected["error"]["stage"]) if "error" in self.expected else ""

    def program(self, out: Path) -> str:
        return self._filled("program.sql", out)

    def flink_plan(self, out: Path) -> str:
        return self._filled("flink-plan.json", out)

    def _filled(self, file: str, out: Path) -> str:
        text = (self.folder / file).read_text()
        return text.replace("${data}", str(self.folder / "data")).replace("${out}", str(out))


def cases(*categories: str) -> list[Case]:
    """All cases of these categories, by name."""
    return [Case(path.parent) for name in categories for path in sorted((CASES / name).glob("*/expected.json"))]


def categories() -> list[str]:
    """The names of all categories."""
    return sorted(path.name for path in CASES.iterdir())


#: The categories of programs that Flink compiles.
CATEGORIES = tuple(category for category in categories() if category != "errors")


def same_plan(left: str, right: str) -> bool:
    """Return True if two plans are equal but for ids, uids and descriptions."""
    return shape(json.loads(left)) == shape(json.loads(right))


def shape(plan: dict[str, Any], *without: str) -> tuple[Any, ...]:
    """The nodes and edges of a plan without ids, uids, descriptions and the named fields."""
    left_out = (*LEFT_OUT, *without)
    place = {node["id"]: at for at, node in enumerate(plan["nodes"])}

    def stripped(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: stripped(item) for key, item in value.items() if key not in left_out}
        return [stripped(item) for item in value] if isinstance(value, list) else value

    edges = [(place[edge["source"]], place[edge["target"]]) for edge in plan["edges"]]
    return stripped(plan["nodes"]), edges


def difference(case: Case, out: Path) -> str:
    """Missing and extra rows of the sinks' files; empty if they equal Flink's result."""
    digits = 6 if case.expected.get("float_tolerance") else 12
    for sink, rows in case.expected["sinks"].items():
        table, values = added_up(out / sink)
        negative = [values[key] for key, count in table.items() if count < 0]
        if negative:
            return f"{sink}: more deletes than inserts of {negative[0]}"
        got = Counter({row_text(_near(values[key], digits)): 0 for key in table})
        for key, count in table.items():
            got[row_text(_near(values[key], digits))] += count
        got = +got
        want = Counter(row_text(_near(row, digits)) for row in rows)
        if got != want:
            return f"{sink}: missing {list((want - got).elements())[:3]}, extra {list((got - want).elements())[:3]}"
    return ""


def events(folder: Path) -> Iterator[dict[str, Any]]:
    for file in sorted(folder.rglob("*")):
        hidden = any(part.startswith(("_", ".")) for part in file.relative_to(folder).parts)
        if hidden or not file.is_file():
            continue
        for line in file.read_text().splitlines():
            event = json.loads(line, parse_float=Decimal)
            yield event if set(event) == {"before", "after", "op"} else {"before": None, "after": event, "op": "c"}


def added_up(folder: Path) -> tuple[Counter[str], dict[str, Any]]:
    table: Counter[str] = Counter()
    values: dict[str, Any] = {}
    for event in events(folder) if folder.exists() else ():
        assert event["op"] in "crud", event
        for side, sign in (("before", -1), ("after", 1)):
            row = event[side]
            if row is not None:
                table[row_text(row)] += sign
                values[row_text(row)] = row
    return table, values


def row_text(row: Any) -> str:
    return json.dumps(_normal(row), sort_keys=True, ensure_ascii=False)


def _normal(value: Any) -> Any:
    """One spelling per value: numbers by value, timestamps without trailing zeros."""
    match value:
        case None | bool():
            return value
        case int() | float() | Decimal():
            number = Decimal(str(value)).normalize()
            return f"{number:f}" if number else "0"
        case str() if len(value) >= 19 and value[4] == "-" and value[10] in "T " and value[13] == ":":
            zone = "Z" if value.endswith("Z") else ""
            text = value.rstrip("Z").replace("T", " ", 1)
            return (text.rstrip("0").rstrip(".") if "." in text else text) + zone
        case list():
            return [_normal(item) for item in value]
        case dict():
            return {key: _normal(item) for key, item in value.items()}
    return value


def _near(value: Any, digits: int) -> Any:
    match value:
        case float() | Decimal():
            return Decimal(f"{Decimal(str(value)):.{digits}g}")
        case list():
            return [_near(item, digits) for item in value]
        case dict():
            return {key: _near(item, digits) for key, item in value.items()}
    return value
