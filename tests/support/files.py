"""Filesystem tables: declare, fill, read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def table(folder: Path, name: str, columns: str, format: str = "json", **options: str) -> str:
    """CREATE TABLE of a table whose files are in the folder of its name."""
    table_options = {"connector": "filesystem", "path": str(folder / name), "format": format} | options
    text = ", ".join(f"'{key}' = '{value}'" for key, value in table_options.items())
    return f"CREATE TABLE {name} ({columns}) WITH ({text});\n"


def put(folder: Path, name: str, *rows: dict[str, Any]) -> None:
    """Write a file of JSON lines atomically: a run may be listing the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    aside = folder / f".{name}"
    aside.write_text("".join(json.dumps(row) + "\n" for row in rows))
    aside.rename(folder / name)


def lines(folder: Path) -> list[dict[str, Any]]:
    """The rows that a JSON sink wrote, in the order of its files."""
    files = sorted(folder.glob("part-*")) if folder.exists() else []
    return [json.loads(line) for file in files for line in file.read_text().splitlines()]
