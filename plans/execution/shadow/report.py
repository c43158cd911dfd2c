"""Reports on the tables of two programs over the same input, by key: in a shadow run, and over the rows of a test."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from enum import Enum
from html import escape
from typing import Any

from compiled_plan.plans.inspection.diff.markdown import code, fenced, plain, table
from compiled_plan.plans.text.visible import counted, visible


class Outcome(Enum):
    """The outcome of a comparison."""

    EQUAL = "equal"
    NAMED = "differs as named"
    OTHERWISE = "differs otherwise"


@dataclass(frozen=True, slots=True)
class Example:
    """A key that differs.

    Args:
        case: how, see `Rows`: `sequence`, `values`, `old`, `new`.
        key: the key as JSON, or the whole row of a table without one.
        old: the other columns of its row in the old program as JSON, or the number of times that the row occurs; None
            if there is no row.
        new: the same of the new program.
    """

    case: str
    key: str
    old: str | None
    new: str | None

    @property
    def text(self) -> str:
        return f"{self.key}: old {self.old or 'no row'}, new {self.new or 'no row'}"


@dataclass(frozen=True, slots=True)
class Parting:
    """A first place, in the order of a plan, at which two programs part: all that is compared upstream is equal.

    Args:
        words: the operator; "the rows of" a source; "the input of" an operator or a table.
        uid: the uid of an operator that emits other rows for equal input; otherwise empty.
        old_nodes: the nodes of the old plan between the last equal rows and the first ones that differ.
        new_nodes: the same of the new plan.
        through: their descriptions in the new plan; if it has none, in the old one.
        differing: number of rows or keys that differ.
        examples: a few of them.
    """

    words: str
    uid: str = ""
    old_nodes: tuple[int, ...] = ()
    new_nodes: tuple[int, ...] = ()
    through: tuple[str, ...] = ()
    differing: int = 0
    examples: tuple[Example, ...] = ()

    @property
    def text(self) -> str:
        if self.uid:
            return f"{self.words}, {self.uid}: equal input, other output"
        if not self.through:
            return self.words
        nodes, of = (self.new_nodes, "") if self.new_nodes else (self.old_nodes, " of the old plan")
        named = zip(nodes, self.through, strict=True)
        return f"{self.words}: {', '.join(f'node {node}{of} {what}' for node, what in named)}"

    def lines(self) -> Iterator[str]:
        """The place and its examples in lines of text."""
        yield f"  first parts at {self.text}"
        yield from (f"    {example.text}" for example in self.examples)


@dataclass(frozen=True, slots=True)
class Rows:
    """The keys of a table that either program wrote, by their rows in the end.

    Args:
        table: the table's identifier.
        key: the columns of the key; empty if whole rows are compared.
        equal: number of keys whose rows and changes are equal.
        other_sequence: number of keys whose rows are equal, but not the changes that led to them.
        other_values: number of keys with other values.
        only_old: number of keys with a row in the old program alone.
        only_new: number of keys with a row in the new program alone.
        columns: number of keys with other values, by column.
        examples: a few keys that differ.
        named: True if the difference of the plans names all of these.
        parts: where the programs part first, upstream of the table; empty if it is equal, or the run was stopped.
    """

    table: str
    key: tuple[str, ...]
    equal: int = 0
    other_sequence: int = 0
    other_values: int = 0
    only_old: int = 0
    only_new: int = 0
    columns: Mapping[str, int] = field(default_factory=dict)
    examples: tuple[Example, ...] = ()
    named: bool = False
    parts: tuple[Parting, ...] = ()

    @property
    def keys(self) -> int:
        """Number of all keys."""
        return self.equal + self.other_sequence + self.differing

    @property
    def differing(self) -> int:
        """Number of keys whose rows differ."""
        return self.other_values + self.only_old + self.only_new

    @property
    def outcome(self) -> Outcome:
        if not self.differing:
            return Outcome.EQUAL
        return Outcome.NAMED if self.named else Outcome.OTHERWISE

    def lines(self) -> Iterator[str]:
        """The result in lines of text."""
        what = f"keys ({', '.join(self.key)})" if self.key else "different rows"
        yield f"{self.table}: {self.outcome.value}; {self.keys} {what}, {self.differing} differ"
        others = ", ".join(f"{name} {count}" for name, count in self.columns.items())
        parts = {
            f"other values ({others})": self.other_values,
            "only in the old program": self.only_old,
            "only in the new program": self.only_new,
            "the same row after other changes": self.other_sequence,
        }
        yield from (f"  {count} {name}" for name, count in parts.items() if count)
        yield from (f"  {example.text}" for example in self.examples)
        for part in self.parts:
            yield from part.lines()


@dataclass(frozen=True, slots=True, kw_only=True)
class TablesReport:
    """The tables of two programs.

    Args:
        tables: the result of each table that both programs write.
        only_old: identifiers of tables that only the old program writes.
        only_new: identifiers of tables that only the new program writes.
    """

    tables: tuple[Rows, ...] = ()
    only_old: tuple[str, ...] = ()
    only_new: tuple[str, ...] = ()

    @property
    def outcome(self) -> Outcome:
        """The worst outcome of all tables."""
        outcomes = {rows.outcome for rows in self.tables}
        return next((one for one in (Outcome.OTHERWISE, Outcome.NAMED) if one in outcomes), Outcome.EQUAL)

    @property
    def alone(self) -> Iterator[str]:
        """A line for each table of one program."""
        for side, names in (("old", self.only_old), ("new", self.only_new)):
            yield from (f"{name}: written by the {side} program alone" for name in names)

    def markdown_of(self, title: str, *facts: str) -> Iterator[str]:
        """A section of Markdown in lines.

        Args:
            title: its heading, as Markdown, without the outcome.
            facts: paragraphs before the tables.
        """
        yield f"{title}: {self.outcome.value}"
        yield ""
        yield from (line for fact in facts for line in (fact, ""))
        columns = ("table", "outcome", "keys", "equal", "other values", "only old", "only new", "other changes")
        lines = []
        for rows in self.tables:
            counts = (rows.keys, rows.equal, rows.other_values, rows.only_old, rows.only_new, rows.other_sequence)
            lines.append([code(rows.table), rows.outcome.value, *map(str, counts)])
        yield from table(columns, lines)
        remarks = [plain(line) for line in self.alone]
        remarks += [
            f"{code(rows.table)} first parts at {plain(part.text)}" for rows in self.tables for part in rows.parts
        ]
        yield from (*(f"- {remark}" for remark in remarks), "") if remarks else ()
        for rows in self.tables:
            if rows.examples:
                yield from (f"<details><summary>{escape(visible(rows.table))}</summary>", "")
                shown = [example.text for example in rows.examples]
                shown += [line for part in rows.parts for line in part.lines()]
                yield from fenced("\n".join(shown), "text")
                yield from ("</details>", "")


@dataclass(frozen=True, slots=True)
class ShadowReport(TablesReport):
    """The result of a shadow run.

    Args:
        batch: the micro-batch of the old run after which the shadow began.
        rounds: number of times that both programs have read the rows available.
        rows_in: number of rows that each program read.
        seconds: duration in seconds.
        promoted: the generation in force since a promotion; None without one.
    """

    batch: int
    rounds: int = 0
    rows_in: int = 0
    seconds: float = 0
    promoted: int | None = None

    @property
    def _extent(self) -> str:
        return f"{counted(self.rows_in, 'row')} in {counted(self.rounds, 'round')}, {self.seconds:.1f} s"

    def lines(self) -> Iterator[str]:
        """The report in lines of text."""
        yield f"shadow since micro-batch {self.batch}: {self.outcome.value}; {self._extent}"
        for rows in self.tables:
            yield from rows.lines()
        yield from self.alone
        yield from [] if self.promoted is None else [f"promoted: generation {self.promoted} is in force"]

    def markdown(self) -> Iterator[str]:
        """The report in lines of Markdown, for a pull request."""
        promoted = [] if self.promoted is None else [f"Promoted: generation {self.promoted} is in force."]
        return self.markdown_of("### Shadow run", f"Since micro-batch {self.batch}: {self._extent}.", *promoted)

    def to_dict(self) -> dict[str, Any]:
        """The report as JSON."""
        tables = [
            {
                **asdict(rows),
                "outcome": rows.outcome.value,
                "keys": rows.keys,
                "differing": rows.differing,
                "parts": [{**asdict(part), "text": part.text} for part in rows.parts],
            }
            for rows in self.tables
        ]
        return {**asdict(self), "outcome": self.outcome.value, "tables": tables}
