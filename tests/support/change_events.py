"""Changelogs as files of change events."""

from __future__ import annotations

import json
import os
from pathlib import Path


def events(folder: Path, *files: list[str]) -> str:
    """A changelog table and its files: `+1=5` inserts a row, `1=5>6` updates one, `-1=5` deletes one."""
    folder.mkdir()
    for number, lines in enumerate(files):
        documents = []
        for line in lines:
            key, _, values = line.lstrip("+-").partition("=")
            old, _, new = values.partition(">")
            rows = [{"id": int(key), "n": None if value == "null" else int(value)} for value in (old, new) if value]
            op = "c" if line[0] == "+" else "d" if line[0] == "-" else "u"
            before, after = (None if op == "c" else rows[0]), (None if op == "d" else rows[-1])
            documents.append(json.dumps({"before": before, "after": after, "op": op}))
        (folder / f"{number}.json").write_text("\n".join(documents))
        # Files with equal times have no order of batches.
        os.utime(folder / f"{number}.json", (number, number))
    return (
        "CREATE TABLE events (id INT PRIMARY KEY NOT ENFORCED, n INT) WITH ('connector' = 'filesystem', "
        f"'path' = '{folder}', 'format' = 'debezium-json');\n"
    )
