"""Random pairs of an old and a new program, with the expected content of the new one's sinks."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.inspection.diff.build import diff_plans
from compiled_plan.plans.inspection.diff.model import PlanDiff
from compiled_plan.plans.nodes.base import PlanNode
from compiled_plan.plans.nodes.sink import Sink
from compiled_plan.plans.plan import CompiledPlan
from tests.upgrades.chance.expected import TIMED, Expected, expected, tables_in
from tests.upgrades.chance.shapes import SHAPES, Shape
from tests.upgrades.kinds.model import TABLES, table
from tests.upgrades.programs import in_files

#: Tables of random programs beside those of the kinds.
_OWN = {
    "stock": table("stock", "id INT, shop STRING, town STRING, price INT, pieces INT", "debezium-json"),
    "devices": table(
        "devices", "dev STRING, owner STRING, fw INT, age INT, PRIMARY KEY (dev) NOT ENFORCED", "debezium-json"
    ),
}
_SINKS = {
    "wide": "k STRING, n BIGINT, m BIGINT",
    "keyed": "k STRING, n BIGINT, m BIGINT, PRIMARY KEY (k) NOT ENFORCED",
    "up": "n BIGINT, k STRING, m BIGINT, PRIMARY KEY (n) NOT ENFORCED",
}
_TTLS = ("", "1 d", "2 d", "40 d")
_BATCHES = (
    "SET 'table.exec.mini-batch.enabled' = 'true'; SET 'table.exec.mini-batch.allow-latency' = '1 s'; "
    "SET 'table.exec.mini-batch.size' = '10';\n"
)


@dataclass(frozen=True)
class Statement:
    """A query with its holes filled, and the number of its sink."""

    shape: Shape
    fill: tuple[tuple[str, str], ...]
    number: int

    @property
    def sink(self) -> str:
        """The table that it writes."""
        return f"{self.shape.sink}_{self.number}"

    @property
    def query(self) -> str:
        """The query."""
        return self.shape.filled(dict(self.fill))

    def text(self, query: str) -> str:
        """The statement with another query."""
        conflict = " ON CONFLICT DO DEDUPLICATE" if self.shape.sink == "up" else ""
        return f"INSERT INTO {self.sink} {query}{conflict};"


@dataclass(frozen=True)
class Program:
    """Statements, with settings and declarations.

    Args:
        statements: in their order.
        ttl: of all state.
        batches: whether aggregates use mini-batches.
        price: the type of prices.
        permuted: whether table columns are declared in another order.
    """

    statements: tuple[Statement, ...]
    ttl: str = ""
    batches: bool = False
    price: str = "INT"
    permuted: bool = False

    @property
    def reads(self) -> frozenset[str]:
        """The tables that it reads."""
        return frozenset(name for statement in self.statements for name in tables_in(statement.query))

    def text(self, folder: Path, instead: Mapping[str, Expected] | None = None) -> str:
        """The whole program.

        Args:
            folder: of its tables.
            instead: by sink, a replacement of its query.
        """
        others = instead or {}
        queries = " ".join(_insert(statement, others.get(statement.sink)) for statement in self.statements)
        if len(self.statements) > 1:
            queries = f"EXECUTE STATEMENT SET BEGIN {queries} END;"
        sets = {statement.shape.needs for statement in self.statements} | ({_BATCHES} if self.batches else set())
        if self.ttl:
            sets.add(f"SET 'table.exec.state.ttl' = '{self.ttl}';\n")
        tables = [self._declared(name) for name in sorted(self.reads)]
        tables += [
            sink_of(statement.shape, statement.number)
            for statement in sorted(self.statements, key=lambda statement: statement.sink)
        ]
        later = sorted({name for expectation in others.values() for name in expectation.later})
        views = [f"CREATE VIEW {name}_later AS SELECT * FROM {name} WHERE half = 1;\n" for name in later]
        return "".join((*sorted(sets), *tables, *views)).replace("{folder}", str(folder)) + queries

    def _declared(self, name: str) -> str:
        text = source(name).replace("price INT", f"price {self.price}")
        pair = f"price {self.price}", "pieces INT"
        return text.replace(", ".join(pair), ", ".join(pair[::-1])) if self.permuted else text

    def compiled(self, folder: Path, instead: Mapping[str, Expected] | None = None) -> CompiledPlan:
        """The compiled plan; see `text`."""
        return in_files(TableEnvironment().compile_script(self.text(folder, instead)), folder)


def _insert(statement: Statement, instead: Expected | None) -> str:
    if instead is None:
        return statement.text(statement.query)
    names = "|".join(sorted(instead.later)) or "$^"
    return statement.text(re.sub(rf"\b({names})\b", r"\1_later", instead.query))


def source(name: str) -> str:
    """The declaration of a table that is read."""
    return {**TABLES, **_OWN}[name].replace(f"{name} (", f"{name} (half INT, ")


def sink_of(shape: Shape, number: int) -> str:
    """The declaration of a statement's sink."""
    name, columns = f"{shape.sink}_{number}", _SINKS[shape.sink]
    if shape.sink == "up":
        return f"CREATE TABLE {name} ({columns}) WITH ('connector' = 'blackhole');\n"
    return table(name, columns, "debezium-json")


@dataclass(frozen=True)
class Pair:
    """A program and its changed version.

    Args:
        seed: reproduces it.
        old: the program that ran.
        new: the program that continues.
        changes: the edits that were applied.
        diff: the product's comparison.
        expected: by sink, the expected content.
    """

    seed: int
    old: Program
    new: Program
    changes: tuple[str, ...]
    diff: PlanDiff = field(compare=False, repr=False)
    expected: Mapping[str, Expected]

    @property
    def name(self) -> str:
        """The folder of its tables."""
        return f"seed_{self.seed}"

    @property
    def timed(self) -> bool:
        """Return True if rows have event times."""
        return bool((self.old.reads | self.new.reads) & TIMED)

    def __str__(self) -> str:
        """Details for debugging."""
        said = "\n".join(
            f"  {part.change.value} {getattr(part, 'uid', getattr(part, 'name', ''))}: {part.verdict.value} {part.why}"
            for part in self.diff.parts
        )
        return (
            f"seed {self.seed}, {', '.join(self.changes)}\n{self.old.text(Path('/t'))}\n-- becomes\n"
            f"{self.new.text(Path('/t'))}\n-- verdict {self.diff.verdict.value}\n{said}"
        )


def pair(seed: int) -> Pair:
    """The pair of a seed."""
    draw = Random(seed)
    # Shapes are taken in turn, so that a few hundred pairs cover all.
    shapes = [SHAPES[seed % len(SHAPES)]]
    if draw.random() < 0.5:
        fitting = [shape for shape in SHAPES if _timed(shape) == _timed(shapes[0]) and shape.needs == shapes[0].needs]
        shapes.append(draw.choice(fitting))
    statements = tuple(_statement(shape, number, draw) for number, shape in enumerate(shapes))
    old = Program(statements, draw.choice(_TTLS), draw.random() < 0.2)
    new, changes = old, []
    for _ in range(draw.choice((1, 1, 1, 2, 3))):
        new, change = _changed(new, draw)
        changes.append(change)
    folder = Path("/random")
    before, after = old.compiled(folder), new.compiled(folder)
    diff = diff_plans(before, after)
    by_node = {operator.new_node: operator for operator in diff.operators}
    above = {sink: [by_node[node] for node in nodes if node in by_node] for sink, nodes in nodes_above(after).items()}
    fills = {statement.sink: dict(statement.fill) for statement in old.statements}
    was = nodes_above(before)
    result = {}
    for statement in new.statements:
        sink = statement.sink
        own = {edit.old_node for edit in above[sink] if edit.old_node is not None} <= set(was.get(sink, ()))
        result[sink] = expected(statement.shape, fills.get(sink), dict(statement.fill), above[sink], old.reads, own=own)
    return Pair(seed, old, new, tuple(changes), diff, result)


def _timed(shape: Shape) -> bool:
    return bool(tables_in(" ".join((shape.sql, *(text for some in shape.holes.values() for text in some)))) & TIMED)


def _statement(shape: Shape, number: int, draw: Random) -> Statement:
    return Statement(shape, tuple((name, draw.choice(some)) for name, some in shape.holes.items()), number)


def _changed(program: Program, draw: Random) -> tuple[Program, str]:
    """The program with one change."""
    what = draw.random()
    if what < 0.7:
        return _refilled(program, draw)
    if what < 0.78:
        ttl = draw.choice([ttl for ttl in _TTLS if ttl != program.ttl])
        return replace(program, ttl=ttl), f"TTL {ttl or '0'}"
    if what < 0.84:
        return replace(program, price="BIGINT"), "prices are BIGINT"
    if what < 0.88:
        return replace(program, permuted=not program.permuted), "columns of tables permuted"
    if what < 0.92:
        return replace(program, batches=not program.batches), "mini-batches"
    if len(program.statements) > 1:
        if draw.random() < 0.5:
            return replace(program, statements=program.statements[::-1]), "statements swapped"
        gone = draw.randrange(len(program.statements))
        remaining = tuple(statement for at, statement in enumerate(program.statements) if at != gone)
        return replace(program, statements=remaining), "statement removed"
    first = program.statements[0]
    fitting = [shape for shape in SHAPES if _timed(shape) == _timed(first.shape) and shape.needs == first.shape.needs]
    number = 1 + max(statement.number for statement in program.statements)
    added = _statement(draw.choice(fitting), number, draw)
    return replace(program, statements=(*program.statements, added)), "statement added"


def _refilled(program: Program, draw: Random) -> tuple[Program, str]:
    """One hole with another filling."""
    at = draw.randrange(len(program.statements))
    statement = program.statements[at]
    name = draw.choice([name for name, some in statement.shape.holes.items() if len(set(some)) > 1])
    now = dict(statement.fill)[name]
    then = draw.choice([choice for choice in statement.shape.holes[name] if choice != now])
    fill = tuple((hole, then if hole == name else value) for hole, value in statement.fill)
    statements = tuple(
        replace(statement, fill=fill) if i == at else statement for i, statement in enumerate(program.statements)
    )
    return replace(
        program, statements=statements
    ), f"{statement.shape.operator}, {name}: {now or 'none'} -> {then or 'none'}"


def nodes_above(plan: CompiledPlan) -> dict[str, list[int]]:
    """By sink, the nodes upstream."""
    result = {}
    for node in plan.sinks:
        assert isinstance(node, Sink)
        reached, todo = {node.id}, list[PlanNode]([node])
        while todo:
            inputs = [input_ for input_ in plan.inputs(todo.pop()) if input_.id not in reached]
            reached |= {input_.id for input_ in inputs}
            todo += inputs
        name = node.dynamic_table_sink.table.identifier.rpartition(".")[2].strip("`")
        result[name] = sorted(reached)
    return result
