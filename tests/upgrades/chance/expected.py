"""What a changed program gives on the state of the old one, as a program that gives it from scratch.

Each row says whether it came before the change or after (`half`). So a verdict below full can be asked for: where rows
from before "stay counted", the old filter holds for them and the new one for the others; an aggregate that "begins
empty" takes in the rows of the second half alone; a column that rows from before "have no value in" is NULL for them;
an operator that "starts empty" sees the second half alone of tables that were read before. What a program of this kind
gives is all that the verdict names and nothing else. Of a few verdicts there is no such program; then the keys that
come in the second half alone must be as from scratch.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from compiled_plan.plans.inspection.diff.model import Change, OperatorEdit
from compiled_plan.plans.inspection.judging.verdicts import Verdict
from tests.upgrades.chance.shapes import Fill, Shape

#: Tables by the names that joins give them.
_ALIASES = {
    "s": ("sales", "stock"),
    "h": ("shops",),
    "k": ("stock",),
    "c": ("clicks",),
    "v": ("visits",),
    "r": ("rates",),
}
#: Properties whose verdict says which program it would be: of the last two the state is that of the new one, and what
#: was given before is not.
_NAMED = {"filter", "aggregates", "columns", "condition", "type", "ranks"}
#: Holes in which columns behind an operator stand, and those with what filters the rows in front of it.
_SHOWN, _FILTERED = ("columns", "condition", "calls"), ("where", "left", "right")
#: Tables that are read, and those of them whose rows have times.
TIMED = frozenset({"clicks", "visits", "rates"})
READ = frozenset({"sales", "stock", "shops", "devices"}) | TIMED
_SUBQUERY = re.compile(r"\(SELECT \* FROM (\w+) WHERE (.+)\)$")
_CALL = re.compile(r"(\w+)\((DISTINCT )?(.+?)\)(?: FILTER \(WHERE (.+)\))?(| OVER w)$")
_COLUMN = re.compile(r"(\w+)\.(\w+)$")


class Basis(Enum):
    """How a sink's content follows from that of a program from scratch.

    `GOES_ON`: what the old program wrote, and what the expected one changes from then on. `BEGINS`: what the old one
    wrote, and all of the expected one. `FRESH_KEYS`: of the keys that come after the change alone, what the new one
    gives.
    """

    GOES_ON = "goes on"
    BEGINS = "begins"
    FRESH_KEYS = "fresh keys"


@dataclass(frozen=True)
class Expected:
    """What a sink is to hold.

    Args:
        query: gives it from scratch.
        basis: how it is compared.
        later: tables of which it sees the second half alone.
    """

    query: str
    basis: Basis
    later: frozenset[str] = frozenset()


def tables_in(query: str) -> frozenset[str]:
    """The tables that a query reads."""
    return frozenset(re.findall(r"\w+", query)) & READ


class _Unknown(Exception):
    """No program gives what a verdict names."""


def expected(
    shape: Shape, old: Fill | None, new: Fill, above: Sequence[OperatorEdit], known: frozenset[str], *, own: bool = True
) -> Expected:
    """What a statement gives.

    Args:
        shape: of the statement.
        old: how its holes were filled, None where it is new.
        new: how they are filled.
        above: what became of its operators.
        known: the tables that the old program read.
        own: whether what its operators keep is that of the statement's own ones, and not of another one's.
    """
    query = shape.filled(new)
    if old is None or all(each.change is Change.ADDED for each in above):
        read = tables_in(query)
        # Rows of a new table may be late, and a version is known by its key, which no view has.
        unclear = (read & TIMED and not read <= known) or shape.operator == "temporal-join"
        # A row that is taken back, and never came to it, meets rows that did.
        unclear = unclear or (shape.operator == "multi-join" and "stock" in read & known)
        return Expected(query, Basis.FRESH_KEYS) if unclear else Expected(query, Basis.BEGINS, read & known)
    if not own and any(each.verdict is not Verdict.FULL for each in above):
        return Expected(query, Basis.FRESH_KEYS)
    try:
        return Expected(shape.filled(_mixed(shape, old, new, above)), Basis.GOES_ON)
    except _Unknown:
        return Expected(query, Basis.FRESH_KEYS)


def _mixed(shape: Shape, old: Fill, new: Fill, above: Sequence[OperatorEdit]) -> Fill:
    """The holes filled for rows of both halves as the verdicts say."""
    low = [each for each in above if each.verdict is not Verdict.FULL]
    if any(each.change is Change.ADDED for each in low):
        raise _Unknown
    named = [edit for each in low for edit in each.edits if edit.verdict is not Verdict.FULL]
    if any(edit.verdict is not Verdict.PARTIAL for edit in named):
        raise _Unknown
    if any("padded row that was never emitted" in edit.why for edit in named):
        # What is taken back depends on which row met one first.
        raise _Unknown
    if new.get("kind") != "JOIN" and any(edit.property == "bounds" for each in above for edit in each.edits):
        # With other bounds a row that found nothing comes out earlier or later.
        raise _Unknown
    kinds = [edit.property.split()[-1] for edit in named]
    if not set(kinds) <= _NAMED or kinds.count("aggregates") > 1 or ("ranks" in kinds and not _knows_ranks(old, new)):
        raise _Unknown
    found = dict(new)
    if "filter" in kinds:
        found |= _filters(old, new)
    if "aggregates" in kinds:
        found["calls"] = _calls(old["calls"], new["calls"])
    if "columns" in kinds:
        lacking = [name for edit in named if edit.property.endswith("columns") for name in _added(edit.old, edit.new)]
        found |= {name: _lacking(found[name], lacking) for name in _SHOWN if name in found}
    if "condition" in kinds and shape.operator != "changelog-normalize":
        found["condition"] = _condition(old, found)
    return found


def _knows_ranks(old: Fill, new: Fill) -> bool:
    """Whether all rows that the new ranks ask for are kept."""
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
    (table, before), (other, after) = _filtered(old), _filtered(new)
    if table != other:
        raise _Unknown
    return f"(SELECT * FROM {table} WHERE {_either(before, after)})"


def _filtered(text: str) -> tuple[str, str]:
    """A table with its filter."""
    found = _SUBQUERY.match(text)
    return (found[1], found[2]) if found else (text.rpartition(" ")[2].rstrip(")"), "")


def _calls(old: str, new: str) -> str:
    """Aggregates that were not there see the second half alone; how many rows a group has is kept anyway."""
    before = [*old.split(", "), "COUNT(*)"]
    return ", ".join(call if call in before or call.startswith("CAST") else _later(call) for call in new.split(", "))


def _later(call: str) -> str:
    found = _CALL.match(call)
    assert found is not None, call
    function, distinct, argument, filter_, over = found.groups()
    if over:
        return f"{function}(CASE WHEN half = 1 THEN {argument.replace('*', '1')} END){over}"
    also = f"{filter_} AND " if filter_ else ""
    return f"{function}({distinct or ''}{argument}) FILTER (WHERE {also}half = 1)"


def _added(old: str, new: str) -> Iterator[tuple[str, str]]:
    """Columns of tables that were not kept, as `table.column` in the words of an edit."""
    for text in new.split(", "):
        if text not in old.split(", "):
            found = _COLUMN.match(text)
            if found is None or found[1] == "stock":
                raise _Unknown
            yield found[1], found[2]


def _lacking(text: str, columns: Sequence[tuple[str, str]]) -> str:
    """An expression in which columns are NULL for rows of the first half."""
    for table, column in columns:
        aliases = [alias for alias, tables in _ALIASES.items() if table in tables]
        prefix = rf"(?:({'|'.join(aliases)})\.)?" if aliases else "()"
        text = re.sub(rf"(?<![.\w]){prefix}\b{column}\b", lambda found: _when_later(found[1], found[0]), text)
    return text


def _when_later(alias: str | None, column: str) -> str:
    return f"CASE WHEN {alias}.half = 1 THEN {column} END" if alias else f"CASE WHEN half = 1 THEN {column} END"


def _condition(old: Fill, new: Mapping[str, str]) -> str:
    """Two rows from before met by the old condition."""
    if "condition" not in old or "stock" in new["left"]:
        # By its half what takes a row back would miss it.
        raise _Unknown
    before, after = ((each["condition"].removeprefix(" AND ") or "TRUE") for each in (old, new))
    return f" AND ((s.half = 0 AND h.half = 0 AND {before}) OR ((s.half = 1 OR h.half = 1) AND {after}))"
