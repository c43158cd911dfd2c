"""Random valid queries over the tables of `test_meaning`: joins of every kind, subqueries, groups."""

from __future__ import annotations

import random
from collections.abc import Sequence

TABLES = {"o": ["oid", "qty"], "p": ["pid", "oid", "paid"], "k": ["id", "v"]}
JOINS = ("JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN", "CROSS JOIN")


class Generator:
    """Generate queries from a seed; `depth` limits the nesting of subqueries."""

    def __init__(self, seed: int) -> None:
        self._rng = random.Random(seed)
        self._aliases = 0

    def query(self) -> str:
        """A query with a random FROM, WHERE and SELECT."""
        source, columns = self._from(2)
        selected = [self._number(columns) for _ in range(2)]
        if self._chance(0.3):
            selected.append(f"({self._aggregate(1, columns)})")
        if self._chance(0.2):
            selected.append(self._condition(columns, 2))
        return f"SELECT {', '.join(selected)} FROM {source} WHERE {self._condition(columns, 3)}"

    def _chance(self, share: float) -> bool:
        return self._rng.random() < share

    def _number(self, columns: Sequence[str]) -> str:
        kind = self._rng.random()
        if kind < 0.7:
            return self._rng.choice(columns)
        if kind < 0.85:
            return str(self._rng.randint(0, 5))
        return f"{self._rng.choice(columns)} + {self._rng.randint(0, 3)}"

    def _condition(self, columns: Sequence[str], depth: int, outer: Sequence[str] = ()) -> str:
        kind = self._rng.random()
        every = [*columns, *outer]
        if kind < 0.45 or depth <= 0:
            operator = self._rng.choice(["=", "<>", "<", "<=", ">", ">="])
            return f"{self._number(every)} {operator} {self._number(every)}"
        negation = self._rng.choice(["", "NOT "])
        if kind < 0.55:
            return f"{self._rng.choice(every)} IS {negation}NULL"
        if kind < 0.65:
            sides = [self._condition(columns, depth - 1, outer) for _ in range(2)]
            return f"({sides[0]} {self._rng.choice(['AND', 'OR'])} {sides[1]})"
        if kind < 0.7:
            return f"NOT ({self._condition(columns, depth - 1, outer)})"
        seen = columns if self._chance(0.7) else ()
        if kind < 0.8:
            return f"{negation}EXISTS ({self._subquery(depth - 1, seen)[0]})"
        if kind < 0.9:
            return f"{self._number(every)} {negation}IN ({self._subquery(depth - 1, seen, 1)[0]})"
        operator = self._rng.choice(["=", "<", ">="])
        return f"{self._number(every)} {operator} ({self._aggregate(depth - 1, seen)})"

    def _aggregate(self, depth: int, outer: Sequence[str]) -> str:
        source, columns = self._from(min(depth, 1))
        column = self._rng.choice(columns)
        call = self._rng.choice(
            ["COUNT(*)", f"SUM({column})", f"MAX({column})", f"COUNT({column})", f"MIN({column}) + 1"]
        )
        where = f" WHERE {self._condition(columns, depth, outer)}" if self._chance(0.8) else ""
        return f"SELECT {call} FROM {source}{where}"

    def _relation(self, depth: int) -> tuple[str, list[str]]:
        self._aliases += 1
        alias = f"t{self._aliases}"
        if depth > 0 and self._chance(0.25):
            query, names = self._subquery(depth - 1, ())
            return f"({query}) AS {alias}", [f"{alias}.{name}" for name in names]
        table = self._rng.choice(list(TABLES))
        return f"{table} AS {alias}", [f"{alias}.{name}" for name in TABLES[table]]

    def _from(self, depth: int) -> tuple[str, list[str]]:
        source, columns = self._relation(depth)
        for _ in range(self._rng.choice([0, 0, 1, 1, 2])):
            right, more = self._relation(depth)
            kind = self._rng.choice(JOINS)
            condition = ""
            if kind != "CROSS JOIN":
                condition = f" ON {self._rng.choice(columns)} = {self._rng.choice(more)}"
                if self._chance(0.4):
                    condition += f" AND {self._condition([*columns, *more], 0)}"
            source = f"{source} {kind} {right}{condition}"
            columns = [*columns, *more]
        return source, columns

    def _subquery(self, depth: int, outer: Sequence[str], width: int | None = None) -> tuple[str, list[str]]:
        source, columns = self._from(depth)
        where = f" WHERE {self._condition(columns, depth, outer)}" if self._chance(0.8) else ""
        count = width or self._rng.randint(1, 2)
        names = [f"c{at}" for at in range(count)]
        kind = self._rng.random()
        if kind < 0.25:
            key, argument = self._rng.choice(columns), self._rng.choice(columns)
            call = self._rng.choice(["COUNT(*)", f"SUM({argument})", f"MAX({argument})"])
            selected = [key, call][:count]
            having = f" HAVING COUNT(*) > {self._rng.randint(0, 2)}" if self._chance(0.3) else ""
            tail = f"{where} GROUP BY {key}{having}"
        else:
            selected, tail = [self._number(columns) for _ in names], where
        distinct = "DISTINCT " if 0.25 <= kind < 0.35 else ""
        texts = ", ".join(f"{text} AS {name}" for text, name in zip(selected, names, strict=True))
        return f"SELECT {distinct}{texts} FROM {source}{tail}", names
