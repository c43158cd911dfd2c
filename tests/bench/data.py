"""Input files: seeded, the same for both sides of a comparison."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd

#: Formats of input; a folder's name ends with it, which tells the hand-written scripts.
FORMATS = ("parquet", "csv", "json")

Columns = dict[str, "np.typing.NDArray[np.int64]"]


def write(folder: Path, files: Sequence[Columns], format_: str) -> Path:
    """Write one file per set of columns, a second apart in their modification times, which order them."""
    folder = folder.with_name(f"{folder.name}.{format_}")
    folder.mkdir(parents=True, exist_ok=True)
    for at, columns in enumerate(files):
        file = folder / f"{at:05}.{format_}"
        write_file(file, columns)
        os.utime(file, (1_700_000_000 + at, 1_700_000_000 + at))
    return folder


def write_file(file: Path, columns: Columns) -> None:
    """Write one file; it is complete when it appears under its name."""
    rows = pd.DataFrame(columns)
    format_ = file.suffix[1:]
    temporary = file.with_name(f".{file.name}")
    if format_ == "json":
        rows.to_json(temporary, orient="records", lines=True)
    elif format_ == "csv":
        rows.to_csv(temporary, index=False, header=False)
    else:
        rows.to_parquet(temporary, index=False)
    temporary.rename(file)


def split(columns: Columns, parts: int) -> list[Columns]:
    """The rows in equal parts, in order."""
    pieces = {name: np.array_split(values, parts) for name, values in columns.items()}
    return [{name: pieces[name][at] for name in columns} for at in range(parts)]


def random_keys(rows: int, keys: int, seed: int) -> Columns:
    """Columns `k` (each of `keys` numbers, at random) and `v`."""
    chance = np.random.default_rng(seed)
    return {"k": chance.integers(0, keys, rows), "v": chance.integers(0, 1000, rows)}


def each_key(keys: int, seed: int, first: int = 0) -> Columns:
    """Columns `k` (each number once, shuffled) and `v`."""
    chance = np.random.default_rng(seed)
    return {"k": chance.permutation(keys) + first, "v": chance.integers(0, 1000, keys)}


def table(name: str, folder: Path, more: str = "", columns: str = "k BIGINT, v BIGINT") -> str:
    """A CREATE TABLE statement over such a folder."""
    options = f"'connector' = 'filesystem', 'path' = '{folder}', 'format' = '{folder.suffix[1:]}'{more}"
    return f"CREATE TABLE {name} ({columns}) WITH ({options});\n"


def sink(columns: str) -> str:
    """A CREATE TABLE statement of a sink named `done` that drops its rows."""
    return f"CREATE TABLE done ({columns}) WITH ('connector' = 'blackhole');\n"
