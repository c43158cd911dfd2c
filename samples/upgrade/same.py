"""Compare the final tables of two folders of changes: the last row per key, which is the first column.

    python samples/upgrade/same.py out/upgrade/sales_by_country from_scratch/out/upgrade/sales_by_country

Exits with 0 if both are equal, otherwise with 1. Standard library only.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

Table = dict[object, dict[str, object]]


def table(folder: Path) -> Table:
    """The final rows by their first column."""
    rows: Table = {}
    for file in sorted(folder.glob("part-*"), key=lambda part: (part.stat().st_mtime_ns, part.name)):
        for line in file.read_text().splitlines():
            change = json.loads(line)
            if change["before"] is not None:
                rows.pop(next(iter(change["before"].values())), None)
            if change["after"] is not None:
                rows[next(iter(change["after"].values()))] = change["after"]
    return rows


def main(left: str, right: str) -> int:
    """Compare the tables and print differences."""
    left_rows, right_rows = table(Path(left)), table(Path(right))
    keys = left_rows.keys() | right_rows.keys()
    differing = [key for key in sorted(keys, key=str) if left_rows.get(key) != right_rows.get(key)]
    if not differing:
        print(f"equal: {len(left_rows)} rows in {left} and in {right}")
        return 0
    print(f"{len(differing)} of {len(keys)} rows differ, such as")
    for key in differing[:3]:
        print(f"  {left}: {left_rows.get(key)}\n  {right}: {right_rows.get(key)}")
    return 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
