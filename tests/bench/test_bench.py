"""The parts of the bench that need no Spark."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tests.bench.base import measurements
from tests.bench.data import FORMATS, each_key, random_keys, split, write
from tests.bench.harness import Batch, BenchError, Execution, Pair, alternate, run
from tests.bench.measurements.levelling import _peak


def _execution(seconds: float) -> Execution:
    return Execution(seconds, seconds, seconds, 1.0, (), 0.0)


def test_every_measurement_says_what_it_measures() -> None:
    assert all(function.__doc__ for function in measurements().values())


def test_the_ratio_is_the_median_of_the_pairs() -> None:
    pair = Pair(tuple(map(_execution, (1.0, 2.0, 4.0))), tuple(map(_execution, (2.0, 2.0, 12.0))))
    assert pair.ratio(lambda execution: execution.seconds) == 2.0
    assert pair.line("x", lambda execution: execution.seconds, "s", 2.5).met is False


def test_the_sides_of_a_pair_alternate() -> None:
    order: list[str] = []

    def side(name: str, seconds: float) -> Execution:
        order.append(name)
        return _execution(seconds)

    pair = alternate(2, lambda: side("ours", 1.0), lambda: side("theirs", 2.0))
    assert order == ["ours", "theirs", "theirs", "ours"]
    assert [execution.seconds for execution in (*pair.ours, *pair.theirs)] == [1.0, 1.0, 2.0, 2.0]


def test_batches_are_parsed_from_the_output_of_a_process(tmp_path: Path) -> None:
    operator = '{"uid": "a", "stateRows": 2, "rowsIn": 3, "unaccounted": {"rows": 1, "entries": 2}}'
    message = f'{{"event": "batch", "batchMillis": 250, "rowsIn": 3, "operators": [{operator}]}}'
    code = f"import sys; sys.stderr.write('noise\\n' + '{message}' + '\\n')"
    result = run([sys.executable, "-c", code], tmp_path)
    (batch,) = result.batches
    assert (batch.seconds, batch.rows, batch.state) == (0.25, 3, {"a": 2})
    assert (batch.rows_in, batch.unaccounted) == ({"a": 3}, 3)


def test_a_failed_process_is_reported_with_its_last_output(tmp_path: Path) -> None:
    with pytest.raises(BenchError, match="no such thing"):
        run([sys.executable, "-c", "raise SystemExit('no such thing')"], tmp_path)


@pytest.mark.parametrize("format_", FORMATS)
def test_files_hold_the_rows_in_order(tmp_path: Path, format_: str) -> None:
    columns = random_keys(10, 5, seed=1)
    folder = write(tmp_path / "rows", split(columns, 3), format_)
    files = sorted(folder.iterdir(), key=lambda file: file.stat().st_mtime)
    assert [file.name for file in files] == [f"{at:05}.{format_}" for at in range(3)]
    readers = {
        "parquet": pd.read_parquet,
        "csv": lambda file: pd.read_csv(file, names=["k", "v"]),
        "json": lambda file: pd.read_json(file, lines=True),
    }
    rows = pd.concat([readers[format_](file) for file in files])
    assert np.array_equal(rows["k"], columns["k"])
    assert np.array_equal(rows["v"], columns["v"])


def test_each_key_comes_once() -> None:
    assert sorted(each_key(5, seed=1, first=7)["k"]) == [7, 8, 9, 10, 11]


def test_the_peak_is_that_of_the_time_asked_for() -> None:
    batches = [Batch(0.1, 1, {"a": rows}, {}, 0, at=100.0 + at) for at, rows in enumerate((1, 5, 3, 2))]
    assert _peak(batches, 2, 3) == 3
