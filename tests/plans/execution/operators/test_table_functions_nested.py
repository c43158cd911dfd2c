"""UNNEST of nested arrays beside computed columns over other nested fields: generated programs, rows by an oracle."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.execution.run import Run
from compiled_plan.plans.execution.session.options import RunOptions
from tests.support.files import lines, put, table

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_TAGS = "tags ARRAY<ROW<k STRING, v INT>>"
_ROW = f"p ROW<m ROW<ts BIGINT, a INT>, {_TAGS}, q ROW<{_TAGS}, b INT>>"
ROWS: list[dict[str, Any]] = [
    {
        "id": at,
        "p": {
            "m": {"ts": 1709164800000 + at * 60_000, "a": at * 10},
            "tags": [{"k": f"k{item}", "v": item} for item in range(at)],
            "q": {"tags": [{"k": "q", "v": at + 5}], "b": None if at == 1 else at},
        },
    }
    for at in range(4)
]
#: Computed columns: name, definition, and the value in a row.
COMPUTED: dict[str, tuple[str, Any]] = {
    "c": ("p.m.a + 1", lambda row: row["p"]["m"]["a"] + 1),
    "d": ("CARDINALITY(p.tags)", lambda row: len(row["p"]["tags"])),
    "e": ("p.q.b", lambda row: row["p"]["q"]["b"]),
    "ts": ("TO_TIMESTAMP_LTZ(p.m.ts, 3)", lambda row: row["p"]["m"]["ts"] // 1000),
}
PATHS: dict[str, Any] = {"p.tags": lambda row: row["p"]["tags"], "p.q.tags": lambda row: row["p"]["q"]["tags"]}


@dataclass(frozen=True)
class Program:
    """A table with computed columns and perhaps a watermark, and a query that unnests a path of it."""

    columns: tuple[str, ...]
    watermark: bool
    path: str
    left: bool
    selected: tuple[str, ...]
    above: int | None

    @staticmethod
    def drawn(rng: random.Random) -> Program:
        """A random program."""
        watermark = rng.random() < 0.5
        columns = tuple(name for name in COMPUTED if rng.random() < 0.6 or (watermark and name == "ts"))
        selected = [name for name in ("id", *columns, "k", "v") if rng.random() < 0.6] or ["v"]
        return Program(
            columns,
            watermark,
            rng.choice(list(PATHS)),
            rng.random() < 0.5,
            tuple(selected),
            rng.choice([None, None, 10]),
        )

    def text(self, folder: Path, name: str) -> str:
        """The declarations of the program."""
        declared = ", ".join(["id INT", _ROW, *(f"{column} AS {COMPUTED[column][0]}" for column in self.columns)])
        source = table(folder, name, declared + (", WATERMARK FOR ts AS ts" if self.watermark else ""))
        source = source.replace(f"{folder / name}'", f"{folder / 'rows'}'")
        types = ", ".join(f"{column} {'STRING' if column == 'k' else 'BIGINT'}" for column in self.selected)
        return source + table(folder, f"{name}_out", types)

    def insert(self, name: str) -> str:
        """The INSERT statement."""
        shown = {"ts": "UNIX_TIMESTAMP(CAST(CAST(ts AS TIMESTAMP(0)) AS STRING)) AS ts", "k": "g.k", "v": "g.v"}
        columns = ", ".join(shown.get(column, column) for column in self.selected)
        join = "LEFT JOIN" if self.left else "CROSS JOIN"
        where = "" if self.above is None else f" WHERE {name}.p.m.a >= {self.above}"
        on = " ON TRUE" if self.left else ""
        query = f"SELECT {columns} FROM {name} {join} UNNEST({name}.{self.path}) AS g (k, v){on}{where}"
        return f"INSERT INTO {name}_out {query};"

    def rows(self) -> Iterator[tuple[Any, ...]]:
        """The rows of the query."""
        for row in ROWS:
            if self.above is None or row["p"]["m"]["a"] >= self.above:
                for item in PATHS[self.path](row) or ([{"k": None, "v": None}] if self.left else []):
                    yield tuple(
                        row["id"] if name == "id" else COMPUTED[name][1](row) if name in COMPUTED else item[name]
                        for name in self.selected
                    )


@pytest.mark.wide
@pytest.mark.parametrize(
    ("seed", "size"), [(1, 6), *(pytest.param(seed, 20, marks=pytest.mark.wide) for seed in (2, 3))]
)
def test_unnested_paths_and_computed_columns(spark: SparkSession, tmp_path: Path, seed: int, size: int) -> None:
    rng = random.Random(seed)
    # each field of `p` that the generator and another column read
    first = Program(("ts",), False, "p.tags", False, ("ts", "k", "v"), None)
    programs = {f"t{at}": first if at == 0 else Program.drawn(rng) for at in range(size)}
    put(tmp_path / "rows", "1.json", *ROWS)
    script = "".join(program.text(tmp_path, name) for name, program in programs.items())
    inserts = " ".join(program.insert(name) for name, program in programs.items())
    plan = TableEnvironment().compile_script(f"{script} EXECUTE STATEMENT SET BEGIN {inserts} END;")
    Run(spark, plan, RunOptions()).execute()
    for name, program in programs.items():
        written = [tuple(row[column] for column in program.selected) for row in lines(tmp_path / f"{name}_out")]
        assert sorted(written, key=str) == sorted(program.rows(), key=str), program.insert(name)
