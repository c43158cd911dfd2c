"""Expected results of a changed program on the old state, as a program that gives them from scratch.

Each row says whether it came before the change or after (`half`). So the results of verdicts below full can be
computed: if rows from before "stay counted", the old filter applies to them and the new one to the others; an
aggregate that "begins empty" takes the rows of the second half only; a column in which rows from before "have no
value" is NULL for them; an operator that "starts empty" sees the second half only of tables that were read before. The
result of such a program has what the verdict names and nothing else. For a few verdicts there is no such program; then
keys that appear in the second half only must be as from scratch.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from compiled_plan.plans.inspection.diff.model import Change, OperatorEdit
from compiled_plan.plans.inspection.judging.verdicts import Verdict
from tests.upgrades.chance.shapes import Fill, Shape

#: Tables by their aliases in joins.
_ALIASES = {
    "s": ("sales", "stock"),
    "h": ("shops",),
    "k": ("stock",),
    "c": ("clicks",),
    "v": ("visits",),
    "r": ("rates",),
}
#: Properties that select the program by their verdict: for the last two the state is that of the new program, and
#: earlier output is not retracted.
_NAMED = {"filter", "aggregates", "columns", "condition", "type", "ranks"}
#: Holes for columns behind an operator, and those for filters in front of it.
_SHOWN, _FILTERED = ("columns", "condition", "calls"), ("where", "left", "right")
#: Tables that are read, and those of them whose rows have times.
TIMED = frozenset({"clicks", "visits", "rates"})
READ = frozenset({"sales", "stock", "shops", "devices"}) | TIMED
_SUBQUERY = re.compile(r"\(SELECT \* FROM (\w+) WHERE (.+)\)$")
_CALL = re.compile(r"(\w+)\((DISTINCT )?(.+?)\)(?: FILTER \(WHERE (.+)\))?(| OVER w)$")
_COLUMN = re.compile(r"(\w+)\.(\w+)$")


class Basis(Enum):
    """Relation of a sink's content to that of a program from scratch.

    `GOES_ON`: the old program's output, and the later changes of the expected one. `BEGINS`: the old program's
    output, and all of the expected one's. `FRESH_KEYS`: the new program's output, for keys that appear after the change
    only.
    """

    GOES_ON = "goes on"
    BEGINS = "begins"
    FRESH_KEYS = "fresh keys"


@dataclass(frozen=True)
class Expected:
    """Expected content of a sink.

    Args:
        query: computes it from scratch.
        basis: the comparison.
        later: tables of which it sees the second half only.
    """

    query: str
    basis: Basis
    later: frozenset[str] = frozenset()


def tables_in(query: str) -> frozenset[str]:
    """The tables that a query reads."""
    return frozenset(re.findall(r"\w+", query)) & READ


class _Unknown(Exception):
    """No program gives the result that a verdict names."""


def expected(
    shape: Shape, old: Fill | None, new: Fill, above: Sequence[OperatorEdit], known: frozenset[str], *, own: bool = True
) -> Expected:
    """The expected content for a statement.

    Args:
        shape: of the statement.
        old: the old fillings of its holes, None for a new statement.
        new: the new fillings.
        above: the diff of its operators.
        known: the tables that the old program read.
        own: whether its operators keep the state of the statement's own old ones, not of another statement's.
    """
    query = shape.filled(new)
    if old is None or all(operator.change is Change.ADDED for operator in above):
        read = tables_in(query)
        # Rows of a new table may be late, and a version is identified by its key, which no view has.
        unclear = (read & TIMED and not read <= known) or shape.operator == "temporal-join"
        # A retraction of a row that the operator never received meets rows that it did.
        unclear = unclear or (shape.operator == "multi-join" and "stock" in read & known)
        return Expected(query, Basis.FRESH_KEYS) if unclear else Expected(query, Basis.BEGINS, read & known)
    if not own and any(operator.verdict is not Verdict.FULL for operator in above):
        return Expected(query, Basis.FRESH_KEYS)
    try:
        return Expected(shape.filled(_mixed(shape, old, new, above)), Basis.GOES_ON)
    except _Unknown:
        return Expected(query, Basis.FRESH_KEYS)


def _mixed(shape: Shape, old: Fill, new: Fill, above: Sequence[OperatorEdit]) -> Fill:
    """The holes filled so that rows of both halves follow the verdicts."""
    low = [operator for operator in above if operator.verdict is not Verdict.FULL]
    if any(operator.change is Change.ADDED for operator in low):
        raise _Unknown
    named = [edit for operator in low for edit in operator.edits if edit.verdict is not Verdict.FULL]
    if any(edit.verdict is not Verdict.PARTIAL for edit in named):
        raise _Unknown
    if any("padded row that was never emitted" in edit.why for edit in named):
        # The retracted row depends on which row matched first.
        raise _Unknown
    if new.get("kind") != "JOIN" and any(edit.property == "bounds" for operator in above for edit in operator.edits):
        # With other bounds an unmatched row comes out earlier or later.
        raise _Unknown
    kinds = [edit.property.split()[-1] for edit in named]
    if not set(kinds) <= _NAMED or kinds.count("aggregates") > 1 or ("ranks" in kinds and not _knows_ranks(old, new)):
        raise _Unknown
    fill = dict(new)
    if "filter" in kinds:
        fill |= _filters(old, new)
    if "aggregates" in kinds:
        fill["calls"] = _calls(old["calls"], new["calls"])
    if "columns" in kinds:
        lacking = [name for edit in named if edit.property.endswith("columns") for name in _added(edit.old, edit.new)]
        fill |= {name: _lacking(fill[name], lacking) for name in _SHOWN if name in fill}
    if "condition" in kinds and shape.operator != "changelog-normalize":
        fill["condition"] = _condition(old, fill)
    return fill


def _knows_ranks(old: Fill, new: Fill) -> bool:
    """Return True if all rows that the new ranks need are stored."""
    return new.get("table") == "stock" or int(new["n"]) <= int(old["n"])


def _filters(old: Fill, new: Fill) -> Iterator[tuple[str, str]]:
    for name in _FILTERED:
        if name in new and old[name] != new[name]:
            yield name, (_where if name == "where" else _subquery)(old[name], new[name])


def _where(old: str, new: str) -> str:
    return f"WHERE {_either(old.removeprefix('WHERE '), new.removeprefix('WHERE '))}"


def _either(old: str, new: str) -> str:
    return f"((half = 0 AND {old or 'TRUE'}) OR (half = 1 AND {new or 'TRUE'}))"


def _subquery(old: str, new: str) -> str:
    (table, before), (new_table, after) = _filtered(old), _filtered(new)
    if table != new_table:
        raise _Unknown
    return f"(SELECT * FROM {table} WHERE {_either(before, after)})"


def _filtered(text: str) -> tuple[str, str]:
    """A table with its filter."""
    match = _SUBQUERY.match(text)
    return (match[1], match[2]) if match else (text.rpartition(" ")[2].rstrip(")"), "")


def _calls(old: str, new: str) -> str:
    """New aggregates see the second half only; the number of rows of a group is always stored."""
    before = [*old.split(", "), "COUNT(*)"]
    return ", ".join(call if call in before or call.startswith("CAST") else _later(call) for call in new.split(", "))


def _later(call: str) -> str:
    match = _CALL.match(call)
    assert match is not None, call
    function, distinct, argument, filter_, over = match.groups()
    if over:
        return f"{function}(CASE WHEN half = 1 THEN {argument.replace('*', '1')} END){over}"
    also = f"{filter_} AND " if filter_ else ""
    return f"{function}({distinct or ''}{argument}) FILTER (WHERE {also}half = 1)"


def _added(old: str, new: str) -> Iterator[tuple[str, str]]:
    """Columns of tables that were not stored, as `table.column` in the text of an edit."""
    for text in new.split(", "):
        if text not in old.split(", "):
            match = _COLUMN.match(text)
            if match is None or match[1] == "stock":
                raise _Unknown
            yield match[1], match[2]


def _lacking(text: str, columns: Sequence[tuple[str, str]]) -> str:
    """An expression in which columns are NULL for rows of the first half."""
    for table, column in columns:
        aliases = [alias for alias, tables in _ALIASES.items() if table in tables]
        prefix = rf"(?:({'|'.join(aliases)})\.)?" if aliases else "()"
        text = re.sub(rf"(?<![.\w]){prefix}\b{column}\b", lambda match: _when_later(match[1], match[0]), text)
    return text


def _when_later(alias: str | None, column: str) -> str:
    return f"CASE WHEN {alias}.half = 1 THEN {column} END" if alias else f"CASE WHEN half = 1 THEN {column} END"


def _condition(old: Fill, new: Mapping[str, str]) -> str:
    """The old condition for pairs of rows of the first half, else the new one."""
    if "condition" not in old or "stock" in new["left"]:
        # The half would distinguish a retraction from its row.
        raise _Unknown
    before, after = ((side["condition"].removeprefix(" AND ") or "TRUE") for side in (old, new))
    return f" AND ((s.half = 0 AND h.half = 0 AND {before}) OR ((s.half = 1 OR h.half = 1) AND {after}))"
