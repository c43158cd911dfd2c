"""The sample with user-defined functions: its results are those computed by hand from the same rows."""

from __future__ import annotations

import json
from collections import defaultdict
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.execution.run import Run
from compiled_plan.plans.execution.session.options import RunOptions

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

CENT = Decimal("0.01")
ROWS = [
    ("10.00", 1, "new, blue"),
    ("20.50", 3, "blue"),
    ("99.99", 2, " sale ,, new"),
    ("30.01", 1, None),
    ("0.05", 4, ""),
]


def rows(folder: Path) -> list[dict[str, object]]:
    lines = (line for file in sorted(folder.glob("part-*")) for line in file.read_text().splitlines())
    return [json.loads(line, parse_float=Decimal) for line in lines]


@pytest.mark.wide
def test_results_of_the_sample_functions(
    spark: SparkSession, tmp_path: Path, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "data/functions/sales").mkdir(parents=True)
    names = ("id", "price", "pieces", "tags")
    input_rows = [dict(zip(names, (at, *row), strict=True)) for at, row in enumerate(ROWS)]
    (tmp_path / "data/functions/sales/1.json").write_text("".join(json.dumps(row) + "\n" for row in input_rows))
    sample = root / "samples" / "functions"
    monkeypatch.syspath_prepend(sample)
    program = (sample / "program.sql").read_text()
    for folder in ("data", "out"):
        program = program.replace(f"'{folder}/", f"'{tmp_path}/{folder}/")
    Run(spark, TableEnvironment().compile_script(program), RunOptions()).execute()

    paid: dict[str, list[tuple[Decimal, int]]] = defaultdict(list)
    reduced: set[tuple[int, str | None, Decimal | None]] = set()
    for at, (text, pieces, tags) in enumerate(ROWS):
        price = Decimal(text)
        labels = [tag.strip() for tag in (tags or "").split(",") if tag.strip()]
        for tag in labels:
            paid[tag].append((price * pieces, pieces))
        if (price * 90 / 100).quantize(CENT, ROUND_HALF_UP) < 50:
            for place, tag in enumerate(labels, start=1):
                reduced.add((at, tag, (price * (100 - 10 * place) / 100).quantize(CENT, ROUND_HALF_UP)))
            if not labels:
                reduced.add((at, None, None))
    means = {
        tag: ((sum(p for p, _ in sums) / sum(n for _, n in sums)).quantize(CENT, ROUND_HALF_UP), len(sums))
        for tag, sums in paid.items()
    }
    by_tag = [row["after"] for row in rows(tmp_path / "out/functions/by_tag")]
    assert {row["tag"]: (row["mean"], row["sales"]) for row in by_tag} == means  # type: ignore[index,call-overload]
    assert {tuple(row.values()) for row in rows(tmp_path / "out/functions/reduced")} == reduced
