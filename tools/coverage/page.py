"""The page docs/reference/coverage.md: everything that Flink has, with the product's answer to it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, partial
from pathlib import Path
from typing import Any

from tools.coverage.answers import Answer, Product, node, option, pyflink_name, table_option, values
from tools.coverage.ask import DATA
from tools.reference.markdown import code, table

PAGE = Path(__file__).resolve().parent.parent.parent / "docs" / "reference" / "coverage.md"
#: The answer to names that run, in tables.
RUNS = "runs"

_INTRODUCTION = """\
Look up whether a statement, function, option, node type or PyFlink name of Flink {version} works here. `make
docs-coverage` generates this page: names and calls come from Flink's own artefacts (`tools/coverage/ask.py`), answers
from this product. No job runs for it, in Flink or here: [functions](functions.md) has the comparison of results.

- **Flink takes** counts statements and calls that Flink executes or builds a job of, node types that it writes into
  plans, options that it declares, and names that PyFlink itself can use. Flink only parses statements that its SQL
  client or gateway executes, such as `SET`, `EXECUTE PLAN` and those of jobs.
- **run here** counts those without a refusal. Queries and INSERTs over the objects of `tools/coverage/setup.sql` are
  compiled and their plans checked, `EXECUTE PLAN` is parsed, and other statements are executed. A session option is
  set, a table with an option of a connector or format is read and written by a plan, and a name of PyFlink is there.
- **refused by name** counts refusals of the feature itself, **errors** all other messages."""


@dataclass(frozen=True)
class Row:
    """A name of Flink with the product's answer.

    Args:
        kind: the heading in its section.
        name: the name, call, or statement.
        ask: the question to the product; None where Flink refuses it.
        refusal: Flink's message, where Flink refuses it.
    """

    kind: str
    name: str
    ask: Callable[[], Answer] | None = None
    refusal: str = ""

    @cached_property
    def answer(self) -> Answer | None:
        """The product's answer, asked once; None where Flink refuses it."""
        return self.ask() if self.ask else None

    @property
    def refused(self) -> Answer | None:
        """The product's answer if it is a refusal."""
        return self.answer if self.answer and not self.answer.runs else None


@cache
def flink() -> Mapping[str, Any]:
    """The names and calls of Flink."""
    answers: dict[str, Any] = json.loads(DATA.read_text(encoding="utf-8"))
    return answers


def statements() -> Iterator[Row]:
    """Statements by their first words."""
    product = Product()
    for kind, examples in flink()["statements"].items():
        for sql, refusal in examples.items():
            yield Row(kind, sql, None if refusal else partial(product.statement, sql), refusal)


def functions() -> Iterator[Row]:
    """Calls by function."""
    product = Product()
    for name, entry in flink()["functions"].items():
        for call in entry["calls"]:
            yield Row(name, call, partial(product.statement, call))
        for call, refusal in entry["refused"].items():
            yield Row(name, call, refusal=refusal)
        if not entry["calls"] and not entry["refused"]:
            yield Row(name, name, refusal=entry["flink"])


def nodes() -> Iterator[Row]:
    """Node types of streaming plans."""
    for name, entry in flink()["nodes"].items():
        if name.startswith("stream-exec-"):
            written = entry["written"]
            yield Row("", name, partial(node, name) if written else None, "" if written else "no plan can hold it")


def options() -> Iterator[Row]:
    """Session options with their values: all of them where there are few, else one."""
    for key, entry in flink()["options"].items():
        if key.startswith("table."):
            for value in values(entry):
                yield Row("", f"{key} = {value}", partial(option, key, value))


def table_options() -> Iterator[Row]:
    """Options of connectors and formats."""
    for name, entry in flink()["factories"].items():
        for key in entry["options"]:
            yield Row(name, key, partial(table_option, name, key, entry["options"], entry["roles"]))


def names() -> Iterator[Row]:
    """Names of PyFlink's Table API; one that several modules export is in the last of them, its own."""
    modules = {module: entries for module, entries in flink()["pyflink"].items() if module.startswith("pyflink.table")}
    home = {name: module for module, entries in sorted(modules.items()) for name in entries}
    for module, entries in modules.items():
        for name, members in entries.items():
            if home[name] == module:
                for member in ("", *members):
                    shown = f"{name}.{member}" if member else name
                    refusal = flink()["pyflink_refused"].get(f"{module}.{shown}", "")
                    yield Row(module, shown, None if refusal else partial(pyflink_name, module, name, member), refusal)


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

    def total(self) -> tuple[str, ...]:
        """The line of the totals."""
        answers = [row.answer for row in self.rows if row.answer]
        running = sum(answer.runs for answer in answers)
        named = sum(not answer.runs and answer.named for answer in answers)
        share = f"{100 * running / max(1, len(answers)):.1f} %"
        return (self.title, str(len(answers)), str(running), share, str(named), str(len(answers) - running - named))


#: Title, source of the names, unit and rows of each section.
_SECTIONS: tuple[tuple[str, str, str, Callable[[], Iterator[Row]]], ...] = (
    ("Statements", "sentences of the grammar, from the tokens that Flink's parser expects", "statement", statements),
    ("Functions", "calls that Flink builds jobs of, from its function definitions", "call", functions),
    ("Node types", "annotations in Flink's planner", "type", nodes),
    ("Session options", "option classes of Flink's table packages", "option", options),
    ("Connector and format options", "factories in Flink's distribution", "option", table_options),
    (
        "PyFlink names",
        "`__all__` of the modules of `pyflink.table` without internal classes, and attributes of the classes",
        "name",
        names,
    ),
)


def sections() -> list[Section]:
    """All sections, their questions not yet asked."""
    return [Section(title, source, unit, [*rows()]) for title, source, unit, rows in _SECTIONS]


def page(every: Sequence[Section]) -> str:
    """The text of the page."""
    version = flink()["version"]
    titles = ("", "Flink takes", "run here", "share", "refused by name", "errors")
    head = (
        "# Coverage of Flink",
        _INTRODUCTION.format(version=version),
        table(titles, (section.total() for section in every)),
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
    if refused := [row for row in section.rows if not row.ask]:
        yield f"### {section.title} that Flink refuses, too"
        yield table(("", "Flink's message"), _folded(refused))


def _one_by_one(kinds: Mapping[str, Sequence[Row]]) -> Iterator[str]:
    """One table with a line for the names of a kind that run, and one for those with the same refusal."""
    lines: list[tuple[str, ...]] = []
    for kind, rows in kinds.items():
        running = [row for row in rows if row.answer and row.answer.runs]
        if running:
            lines.append((code(kind), ", ".join(map(shown, running)), RUNS))
        lines += [(code(kind), *cells) for cells in _folded(row for row in rows if row.refused)]
    yield table(("", "", "here"), lines)


def _by_kind(kinds: Mapping[str, Sequence[Row]]) -> Iterator[str]:
    """A list of the names of a kind that run, and a table of those that do not."""
    for kind, rows in kinds.items():
        if kind and any(row.answer for row in rows):
            yield f"### {kind}"
        running = [row.name for row in rows if row.answer and row.answer.runs]
        if running:
            yield "These run:\n\n```text\n" + "\n".join(running) + "\n```"
        if refused := [*_folded(row for row in rows if row.refused)]:
            yield table(("refused", "why, and what instead"), refused)


def shown(row: Row) -> str:
    """A name as code, without the query around a call where that is the plain one."""
    call, plain = row.name, row.name.startswith("SELECT ") and row.name.count(" FROM ") == 1
    return code(call.removeprefix("SELECT ").removesuffix(" FROM t") if plain else call)


def reason(row: Row) -> str:
    """The product's refusal of a row, or else Flink's, with `...` for the name."""
    text = row.refused.text if row.refused else row.refusal
    return " ".join(re.sub(rf"(?<!\w){re.escape(row.name)}(?!\w)", "...", text).split())


def _folded(rows: Iterable[Row]) -> Iterator[tuple[str, str]]:
    """Rows by their refusal."""
    groups: dict[str, list[Row]] = {}
    for row in rows:
        groups.setdefault(reason(row), []).append(row)
    for text, members in groups.items():
        yield ", ".join(map(shown, members)), text


if __name__ == "__main__":
    PAGE.write_text(page(sections()), encoding="utf-8")
