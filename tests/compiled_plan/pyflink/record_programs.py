"""Record the lines that PyFlink prints: `python record_programs.py`, in PyFlink's Python, writes `programs.json`.

`programs/` holds programs of our own; the examples are read from the installed package, where PyFlink has them.
"""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

PROGRAMS = Path(__file__).with_name("programs")
RECORDED = Path(__file__).with_name("programs.json")
#: PyFlink's examples of the Table API without connectors to other systems, and without random values.
EXAMPLES = (
    "multi_sink",
    "process_json_data",
    "process_json_data_with_udf",
    "word_count",
    "windowing/over_window",
    "windowing/session_window",
    "windowing/sliding_window",
    "windowing/tumble_window",
    "pandas/pandas_udaf",
)

#: Beginnings of the lines that PyFlink's libraries log to the standard output.
LOGGED = ("No module named ", "PYFLINK_CYTHON_ENABLED", "Using Any for unsupported type")


def lines_of(text: str) -> list[str]:
    """The lines that a program prints."""
    names: dict[str, Any] = {}
    exec(compile(text, "program.py", "exec"), names)
    printed = io.StringIO()
    with redirect_stdout(printed), tempfile.TemporaryDirectory() as folder:
        names["main"](folder)
    return printed.getvalue().splitlines()


def remaining(lines: Iterable[str]) -> list[str]:
    """The lines of an example in an order of their own: of a changelog, the rows that remain."""
    counts: Counter[str] = Counter()
    for line in lines:
        change = re.fullmatch(r"(?:\d+> )?([+-][IUD])(\[.*])", line)
        if change is None:
            counts[line] += 1
        else:
            counts[change[2]] += -1 if change[1] in ("-U", "-D") else 1
    return sorted(counts.elements())


def as_pyflink(text: str) -> str:
    """A program with PyFlink's imports."""
    text = re.sub(r"compiled_plan\.pyflink\.(common|datastream)", r"pyflink.\1", text)
    return text.replace("compiled_plan.pyflink", "pyflink.table")


def as_ours(text: str) -> str:
    """A program of PyFlink with our imports."""
    text = re.sub(r"\bpyflink\.table\b", "compiled_plan.pyflink", text)
    return re.sub(r"\bpyflink\.(common|datastream)\b", r"compiled_plan.pyflink.\1", text)


def main() -> None:
    """Write the lines by program."""
    import pyflink  # type: ignore[import-not-found]

    programs = {path.stem: lines_of(as_pyflink(path.read_text("utf-8"))) for path in sorted(PROGRAMS.glob("*.py"))}
    folder = Path(pyflink.__file__).parent / "examples" / "table"
    for name in EXAMPLES:
        # The `print` connector writes to the standard output of the JVM.
        command = [sys.executable, str(folder / f"{name}.py")]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
        programs[name] = remaining(line for line in done.stdout.splitlines() if not line.startswith(LOGGED))
    RECORDED.write_text(json.dumps(programs, indent=1, ensure_ascii=False) + "\n", "utf-8")


if __name__ == "__main__":
    main()
