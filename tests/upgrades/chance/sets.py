"""Random sets of INSERTs over shared views, and an edit of a statement or of a view.

Statements that are not edited and read no edited view have the same results as before. Their sinks, and the operators
that only they use, must stay fully compatible.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from random import Random

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.inspection.diff.build import diff_plans
from compiled_plan.plans.inspection.diff.model import Part
from compiled_plan.plans.inspection.judging.verdicts import Verdict
from tests.upgrades.chance.expected import TIMED, tables_in
from tests.upgrades.chance.pairs import nodes_above, sink_of, source
from tests.upgrades.chance.shapes import SHAPES, Shape

#: Views with the columns of sales, in the order of their declaration.
_VIEWS = {
    "once": Shape(
        "deduplicate",
        "SELECT shop, town, price, pieces FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY {by} ORDER BY p{order}) AS r "
        "FROM sales) WHERE r = 1",
        {"by": ("shop", "shop, town"), "order": ("", " DESC")},
    ),
    "rented": Shape(
        "join",
        "SELECT s.shop, s.town, s.price, s.pieces + h.rent AS pieces FROM {read} AS s {kind} JOIN shops AS h "
        "ON s.shop = h.shop {where}",
        {"read": ("sales", "once"), "kind": ("", "LEFT"), "where": ("", "WHERE s.pieces > 30", "WHERE h.tax > 5")},
    ),
    "summed": Shape(
        "group-aggregate",
        "SELECT shop, town, {call}(price) AS price, MIN(pieces) AS pieces FROM {read} GROUP BY shop, town",
        {"call": ("SUM", "MAX"), "read": ("sales", "once", "rented")},
    ),
    "unioned": Shape(
        "union",
        "SELECT shop, town, price, pieces FROM {read} UNION ALL SELECT shop, town, price, pieces FROM stock {where}",
        {"read": ("sales", "once", "rented"), "where": ("", "WHERE pieces > 30")},
    ),
}
#: Queries of sales without its times, which views do not have.
_STATEMENTS = tuple(
    shape
    for shape in SHAPES
    if not shape.needs and not TIMED & set(re.findall(r"\w+", str(shape))) and not re.search(r"ORDER BY p\b", shape.sql)
)
_SALES = re.compile(r"\bsales\b")


@dataclass(frozen=True)
class Query:
    """A shape with its holes filled, over a view or a table instead of sales."""

    shape: Shape
    fill: Mapping[str, str]
    read: str = "sales"

    @classmethod
    def drawn(cls, shape: Shape, draw: Random, read: str = "sales") -> Query:
        return cls(shape, {name: draw.choice(choices) for name, choices in shape.holes.items()}, read)

    def __str__(self) -> str:
        """The query in SQL."""
        return _SALES.sub(self.read, self.shape.filled(self.fill))

    def edited(self, draw: Random) -> Query:
        """Fill one hole otherwise."""
        hole = draw.choice([name for name, choices in self.shape.holes.items() if len(set(choices)) > 1])
        others = [choice for choice in self.shape.holes[hole] if choice != self.fill[hole]]
        return replace(self, fill={**self.fill, hole: draw.choice(others)})


@dataclass(frozen=True)
class StatementSet:
    """Views by name, and statements by number."""

    views: Mapping[str, Query]
    statements: Mapping[int, Query]

    def text(self) -> str:
        """The program."""
        views = "".join(f"CREATE VIEW {name} AS {query};\n" for name, query in self.views.items())
        inserts = "\n".join(_insert(number, query) for number, query in self.statements.items())
        read = sorted(tables_in(views + inserts))
        declared = "".join(map(source, read))
        declared += "".join(sink_of(query.shape, number) for number, query in self.statements.items())
        return f"{declared.replace('{folder}', '/random')}{views}EXECUTE STATEMENT SET BEGIN\n{inserts}\nEND;\n"

    def reads(self, query: Query, name: str) -> bool:
        """Return True if a query reads a view, itself or through another view."""
        read = set(re.findall(r"\w+", str(query))) & self.views.keys()
        return name in read or any(self.reads(self.views[view], name) for view in read)


def _insert(number: int, query: Query) -> str:
    conflict = " ON CONFLICT DO DEDUPLICATE" if query.shape.sink == "up" else ""
    return f"INSERT INTO {query.shape.sink}_{number} {query}{conflict};"


def edit_of(seed: int) -> tuple[StatementSet, StatementSet, list[int]]:
    """A set, its edited version, and the numbers of the statements that the edit does not concern."""
    draw = Random(seed)
    views = {name: Query.drawn(shape, draw) for name, shape in _VIEWS.items()}
    numbers = range(draw.choice((2, 2, 3, 4)))
    # Statements that read one view share its operators.
    shared = draw.choice((*views, "sales"))
    statements = {
        number: Query.drawn(draw.choice(_STATEMENTS), draw, draw.choice((shared, shared, *views))) for number in numbers
    }
    old = StatementSet(views, statements)
    if draw.random() < 0.3:
        name = draw.choice(list(views))
        new = replace(old, views={**views, name: views[name].edited(draw)})
        return old, new, [number for number, query in statements.items() if not old.reads(query, name)]
    number = draw.choice(numbers)
    others = {key: query for key, query in statements.items() if key != number}
    match draw.randrange(5):
        case 0:
            return old, replace(old, statements=others), list(others)
        case 1:
            return replace(old, statements=others), old, list(others)
        case 2:
            edited = replace(statements[number], read=draw.choice([*views, "sales"]))
        case _:
            edited = statements[number].edited(draw)
    return old, replace(old, statements={**statements, number: edited}), list(others)


def touched(seed: int) -> Iterator[str]:
    """Parts below full compatibility that belong only to statements that an edit does not concern."""
    old, new, untouched = edit_of(seed)
    before, after = (TableEnvironment().compile_script(program.text()) for program in (old, new))
    diff = diff_plans(before, after)
    above = nodes_above(after)
    sinks = {number: f"{query.shape.sink}_{number}" for number, query in new.statements.items()}
    # The operators of an edited statement may get columns more, which other statements that share them do not use.
    edited = {node for number, sink in sinks.items() if number not in untouched for node in above[sink]}
    own = {node for number in untouched for node in above[sinks[number]]} - edited
    low: list[Part] = [edit for edit in diff.operators if edit.new_node in own and edit.verdict is not Verdict.FULL]
    names = [sinks[number] for number in untouched]
    low += [edit for edit in diff.sinks if edit.name in names and edit.verdict is not Verdict.FULL]
    for part in low:
        yield f"seed {seed}: {part}\n{old.text()}\n-- becomes\n{new.text()}"
