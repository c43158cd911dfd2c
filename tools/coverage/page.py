"""The page docs/reference/coverage.md: everything that Flink has, with the product's answer to it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from tools.coverage.answers import Answer, Product, name_of_pyflink, node, option, sample, table_option
from tools.coverage.ask import DATA
from tools.reference.markdown import code, codes, table

PAGE = Path(__file__).resolve().parent.parent.parent / "docs" / "reference" / "coverage.md"


@dataclass(frozen=True, slots=True)
class Row:
    """A name of Flink with the product's answer.

    Args:
        kind: the heading in its section.
        name: the name, call, or statement.
        answer: the product's answer; None where Flink refuses it.
        flink: Flink's message, where Flink refuses it.
    """

    kind: str
    name: str
    answer: Answer | None = None
    flink: str = ""


@cache
def flink() -> Mapping[str, Any]:
    """What Flink has."""
    answers: dict[str, Any] = json.loads(DATA.read_text(encoding="utf-8"))
    return answers


def statements() -> Iterator[Row]:
    """Statements by their first words."""
    product = Product()
    for kind, examples in flink()["statements"].items():
        for sql, refusal in examples.items():
            yield Row(kind, sql, None if refusal else product.statement(sql), refusal)


def functions() -> Iterator[Row]:
    """Calls by function."""
    product = Product()
    for name, entry in flink()["functions"].items():
        for call in entry["calls"]:
            yield Row(name, call, product.statement(call))
        if not entry["calls"]:
            yield Row(name, name, flink=entry["flink"] or "no call of it compiles")


def nodes() -> Iterator[Row]:
    """Node types of streaming plans."""
    for name, entry in flink()["nodes"].items():
        if name.startswith("stream-exec-"):
            refusal = "" if entry["written"] else "Flink writes it into no plan"
            yield Row("", name, None if refusal else node(name), refusal)


def options() -> Iterator[Row]:
    """Session options."""
    for key, entry in flink()["options"].items():
        yield Row("", key, option(key, sample(entry)))


def table_options() -> Iterator[Row]:
    """Options of connectors and formats."""
    for name, entry in flink()["factories"].items():
        roles = entry["roles"]
        kind = "format" if roles == ["format"] else "connector"
        for key in entry["options"]:
            yield Row(f"{kind} `{name}`", key, table_option(kind, name, key, entry["options"], roles))


def names() -> Iterator[Row]:
    """Names of PyFlink; a class that several modules export is in the last one, its own."""
    modules = flink()["pyflink"]
    home = {name: module for module, entries in sorted(modules.items()) for name in entries}
    for module, entries in modules.items():
        for name, members in entries.items():
            if home[name] == module:
                yield Row(module, name, name_of_pyflink(module, name))
                for member in members:
                    yield Row(module, f"{name}.{member}", name_of_pyflink(module, name, member))


@dataclass(frozen=True, slots=True)
class Section:
    """A section of the page.

    Args:
        title: the heading.
        source: where the names come from.
        unit: what a row is, in the totals.
        rows: the rows.
    """

    title: str
    source: str
    unit: str
    rows: Sequence[Row]

    @property
    def target(self) -> Sequence[Row]:
        """The rows that Flink does not refuse."""
        return [row for row in self.rows if row.answer]

    @property
    def running(self) -> int:
        """The number of rows that run."""
        return sum(row.answer.runs for row in self.rows if row.answer)

    def total(self) -> tuple[str, ...]:
        """The line of the totals."""
        named = sum(not row.answer.runs and row.answer.named for row in self.rows if row.answer)
        target, running = len(self.target), self.running
        share = f"{100 * running / max(1, target):.1f} %"
        return (self.title, str(target), str(running), share, str(named), str(target - running - named))


def sections() -> list[Section]:
    """All sections, with the product's answers of now."""
    return [
        Section("Statements", "sentences of Flink's grammar, from the tokens that its parser expects", "statement", [*statements()]),
        Section("Functions", "calls that Flink compiles, from its function definitions", "call", [*functions()]),
        Section("Node types", "annotations in Flink's planner", "type", [*nodes()]),
        Section("Session options", "option classes of Flink's table packages", "option", [*options()]),
        Section("Connector and format options", "factories in Flink's distribution", "option", [*table_options()]),
        Section("PyFlink names", "`__all__` of PyFlink's modules, and the attributes of their classes", "name", [*names()]),
    ]


def page(every: Sequence[Section]) -> str:
    """The text of the page."""
    version = flink()["version"]
    head = (
        "# Coverage of Flink",
        f"Look up whether a statement, function, option, node type or PyFlink name of Flink {version} works here.\n"
        "`make docs-coverage` generates this page: the names come from Flink's own artefacts (`tools/coverage`), the\n"
        "answers from this product. Statements and calls are compiled over the objects of `tools/coverage/setup.sql`.",
        table(
            ("", "Flink takes", "run here", "share", "refused by name", "errors"), (section.total() for section in every)
        ),
    )
    return "\n\n".join([*head, *(part for section in every for part in _section(section))]) + "\n"


def _section(section: Section) -> Iterator[str]:
    yield f"## {section.title}"
    yield f"Source: {section.source}."
    kinds: dict[str, list[Row]] = {}
    for row in section.rows:
        kinds.setdefault(row.kind, []).append(row)
    body = _one_by_one if section.unit in ("call", "name") else _by_kind
    yield from body(kinds)
    refused = [row for row in section.rows if not row.answer]
    if refused:
        yield f"### {section.title} that Flink refuses, too"
        yield table(("", "Flink's message"), _grouped(refused))


def _one_by_one(kinds: Mapping[str, Sequence[Row]]) -> Iterator[str]:
    """One table with a line for the names of a kind that run, and one for each that does not."""
    lines: list[tuple[str, ...]] = []
    for kind, rows in kinds.items():
        running = [row.name for row in rows if row.answer and row.answer.runs]
        if running:
            lines.append((code(kind), codes(map(_short, running)), "runs"))
        lines += [(code(kind), code(_short(row.name)), _text(row.answer)) for row in _refused(rows)]
    yield table(("", "", "here"), lines)


def _by_kind(kinds: Mapping[str, Sequence[Row]]) -> Iterator[str]:
    """A list of the names of a kind that run, and a table of those that do not."""
    for kind, rows in kinds.items():
        if kind and any(row.answer for row in rows):
            yield f"### {kind}"
        running = [row.name for row in rows if row.answer and row.answer.runs]
        if running:
            yield "Run:\n\n```text\n" + "\n".join(running) + "\n```"
        if refused := _refused(rows):
            yield table(("refused", "why, and what instead"), ((code(row.name), _text(row.answer)) for row in refused))


def _refused(rows: Iterable[Row]) -> list[Row]:
    return [row for row in rows if row.answer and not row.answer.runs]


def _short(call: str) -> str:
    """A call without the query around it, where that is the plain one."""
    return call.removeprefix("SELECT ").removesuffix(" FROM t") if call.startswith("SELECT ") and call.count(" FROM ") == 1 else call


def _text(answer: Answer | None) -> str:
    assert answer is not None
    return " ".join(answer.text.split())


def _grouped(rows: Iterable[Row]) -> Iterator[tuple[str, str]]:
    """Rows by Flink's message, the names in it aside."""
    groups: dict[str, list[Row]] = {}
    for row in rows:
        groups.setdefault(row.flink.replace(row.name, "...").strip(), []).append(row)
    for message, members in groups.items():
        yield codes(row.name for row in members), message


if __name__ == "__main__":
    PAGE.write_text(page(sections()), encoding="utf-8")
