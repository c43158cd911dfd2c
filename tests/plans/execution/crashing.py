"""A program with several sinks, its input and output, for interrupted runs."""

from __future__ import annotations

import json
import random
from collections import Counter
from pathlib import Path

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.plan import CompiledPlan

FILES, ROWS = 4, 30


def program(folder: Path) -> CompiledPlan:
    """Two inserts of one join, plain files and a changelog, and a third insert of the unchanged rows."""
    names = {"orders": "id INT, item INT", "items": "item INT, price INT", "joined": "id INT, price INT"}
    names |= {"totals": "price INT, n BIGINT", "copied": "id INT, item INT"}
    tables = "".join(
        f"CREATE TABLE {name} ({columns}) WITH ('connector' = 'filesystem', 'path' = '{folder / name}', "
        f"'format' = '{'debezium-json' if name == 'totals' else 'json'}');\n"
        for name, columns in names.items()
    )
    return TableEnvironment().compile_script(
        tables
        + "CREATE VIEW matched AS SELECT id, price FROM orders JOIN items ON orders.item = items.item;\n"
        + "EXECUTE STATEMENT SET BEGIN\n"
        + "INSERT INTO joined SELECT id, price FROM matched;\n"
        + "INSERT INTO totals SELECT price, COUNT(*) FROM matched GROUP BY price;\n"
        + "INSERT INTO copied SELECT id, item FROM orders;\n"
        + "END;"
    )


def write_input(folder: Path, files: int = FILES) -> None:
    chance = random.Random(7)
    for name, columns in (("orders", ("id", "item")), ("items", ("item", "price"))):
        (folder / name).mkdir()
        for number in range(files):
            rows = [dict(zip(columns, (chance.randrange(40), chance.randrange(9)), strict=True)) for _ in range(ROWS)]
            (folder / name / f"{number}.json").write_text("".join(json.dumps(row) + "\n" for row in rows))


def output(folder: Path) -> dict[str, Counter[str]]:
    """The lines of each sink; those of a changelog added up: the final count of each row."""
    result: dict[str, Counter[str]] = {}
    for name in ("joined", "totals", "copied"):
        result[name] = Counter()
        for file in sorted((folder / name).glob("part-*")):
            for line in file.read_text().splitlines():
                row = json.loads(line)
                if name != "totals":
                    result[name][line] += 1
                    continue
                for side, step in (("before", -1), ("after", 1)):
                    if row[side]:
                        result[name][json.dumps(row[side], sort_keys=True)] += step
        result[name] = +result[name]
    return result
