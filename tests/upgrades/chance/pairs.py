"""Random pairs of an old and a new program, and what of the new one's sinks must be as from scratch."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random

from compiled_plan.api.environment import TableEnvironment
from compiled_plan.plans.inspection.diff.build import diff_plans
from compiled_plan.plans.inspection.diff.model import PlanDiff, Verdict, worst
from compiled_plan.plans.nodes.sink import Sink
from compiled_plan.plans.plan import CompiledPlan
from tests.upgrades.chance.shapes import SHAPES, Shape
from tests.upgrades.kinds.model import TABLES, table
from tests.upgrades.programs import in_files

#: Tables of random programs that are not those of the kinds.
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
    def text(self) -> str:
        """The statement."""
        conflict = " ON CONFLICT DO DEDUPLICATE" if self.shape.sink == "up" else ""
        return f"INSERT INTO {self.sink} {self.shape.filled(dict(self.fill))}{conflict};"


@dataclass(frozen=True)
class Program:
    """Statements, and what is set and declared around them.

    Args:
        statements: in their order.
        ttl: of all state.
        batches: whether aggregates work in mini-batches.
        types: the type of prices.
        permuted: whether columns of tables are declared in another order.
    """

    statements: tuple[Statement, ...]
    ttl: str = ""
    batches: bool = False
    price: str = "INT"
    permuted: bool = False

    def text(self, folder: Path) -> str:
        """The whole program."""
        queries = " ".join(each.text for each in self.statements)
        if len(self.statements) > 1:
            queries = f"EXECUTE STATEMENT SET BEGIN {queries} END;"
        sets = {each.shape.needs for each in self.statements} | ({_BATCHES} if self.batches else set())
        if self.ttl:
            sets.add(f"SET 'table.exec.state.ttl' = '{self.ttl}';\n")
        known = {**TABLES, **_OWN}
        tables = [self._declared(text) for name, text in known.items() if re.search(rf"\b{name}\b", queries)]
        tables += [_sink(each) for each in sorted(self.statements, key=lambda each: each.sink)]
        return ("".join(sorted(sets)) + "".join(tables)).replace("{folder}", str(folder)) + queries

    def _declared(self, text: str) -> str:
        text = text.replace("price INT", f"price {self.price}")
        return (
            text.replace(f"price {self.price}, pieces INT", f"pieces INT, price {self.price}")
            if self.permuted
            else text
        )

    def compiled(self, folder: Path) -> CompiledPlan:
        """Its plan."""
        return in_files(TableEnvironment().compile_script(self.text(folder)), folder)


def _sink(statement: Statement) -> str:
    columns = _SINKS[statement.shape.sink]
    if statement.shape.sink == "up":
        return f"CREATE TABLE {statement.sink} ({columns}) WITH ('connector' = 'blackhole');\n"
    return table(statement.sink, columns, "debezium-json")


@dataclass(frozen=True)
class Pair:
    """A program and what it becomes.

    Args:
        seed: makes it again.
        old: the program that ran.
        new: the one that goes on.
        changes: what was done to it.
        diff: what the product says of it.
        equal: the sinks whose content must be that of the new program over all rows.
        steady: those that nothing may be taken back from that was never given.
    """

    seed: int
    old: Program
    new: Program
    changes: tuple[str, ...]
    diff: PlanDiff = field(compare=False, repr=False)
    equal: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The folder of its tables."""
        return f"seed_{self.seed}"

    @property
    def timed(self) -> bool:
        """Whether rows carry the time of events."""
        return any(f" {name}" in self.old.text(Path()) for name in ("clicks", "visits", "rates"))

    def __str__(self) -> str:
        """All that a person needs to look into it."""
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
    # One after another gets each shape, so that a few hundred pairs try all of each.
    shapes = [SHAPES[seed % len(SHAPES)]]
    if draw.random() < 0.5:
        fitting = [each for each in SHAPES if _timed(each) == _timed(shapes[0]) and each.needs == shapes[0].needs]
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
    return Pair(seed, old, new, tuple(changes), diff, tuple(_equal(before, after, diff)))


def _timed(shape: Shape) -> bool:
    return any(name in shape.sql or name in shape.holes.get("window", ("",))[0] for name in ("clicks", "visits"))


def _statement(shape: Shape, number: int, draw: Random) -> Statement:
    return Statement(shape, tuple((name, draw.choice(some)) for name, some in shape.holes.items()), number)


def _changed(program: Program, draw: Random) -> tuple[Program, str]:
    """The program with one thing changed."""
    what = draw.random()
    if what < 0.7:
        return _refilled(program, draw)
    if what < 0.78:
        ttl = draw.choice([each for each in _TTLS if each != program.ttl])
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
        kept = tuple(each for at, each in enumerate(program.statements) if at != gone)
        return replace(program, statements=kept), "statement removed"
    first = program.statements[0]
    fitting = [each for each in SHAPES if _timed(each) == _timed(first.shape) and each.needs == first.shape.needs]
    number = 1 + max(each.number for each in program.statements)
    added = _statement(draw.choice(fitting), number, draw)
    return replace(program, statements=(*program.statements, added)), "statement added"


def _refilled(program: Program, draw: Random) -> tuple[Program, str]:
    """One hole filled otherwise."""
    at = draw.randrange(len(program.statements))
    statement = program.statements[at]
    name = draw.choice([name for name, some in statement.shape.holes.items() if len(set(some)) > 1])
    now = dict(statement.fill)[name]
    then = draw.choice([each for each in statement.shape.holes[name] if each != now])
    fill = tuple((each, then if each == name else value) for each, value in statement.fill)
    statements = tuple(replace(each, fill=fill) if i == at else each for i, each in enumerate(program.statements))
    return replace(
        program, statements=statements
    ), f"{statement.shape.operator}, {name}: {now or 'none'} -> {then or 'none'}"


def _equal(old: CompiledPlan, new: CompiledPlan, diff: PlanDiff) -> Iterator[str]:
    """The sinks above which no verdict is below full, and which the old program wrote, too."""
    written = {_name(node) for node in old.sinks if isinstance(node, Sink)}
    by_node = {each.new_node: each.verdict for each in diff.operators if each.new_node is not None}
    by_sink = {each.name: each.verdict for each in diff.sinks}
    inputs: dict[int, list[int]] = {}
    for edge in new.edges:
        inputs.setdefault(edge.target, []).append(edge.source)
    sources = worst(each.verdict for each in diff.sources)
    for node in new.sinks:
        assert isinstance(node, Sink)
        reached, todo = set(), [node.id]
        while todo:
            at = todo.pop()
            if at not in reached:
                reached.add(at)
                todo += inputs.get(at, [])
        verdicts = [by_node.get(each, Verdict.FULL) for each in reached]
        name = _name(node)
        sink = next(
            (found for full, found in by_sink.items() if full.rpartition(".")[2].strip("`") == name), Verdict.FULL
        )
        if worst((*verdicts, sink, sources)) is Verdict.FULL and name in written:
            yield name


def _name(node: Sink) -> str:
    return node.dynamic_table_sink.table.identifier.rpartition(".")[2].strip("`")
