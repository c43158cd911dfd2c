"""Record Flink's answer to each statement of the programs in this folder, in a JSON file beside each program.

python -m venv flink && flink/bin/pip install apache-flink==2.3.0
flink/bin/python tests/compiled_plan/session/flink_statements/record.py [NAME ...]
"""

from __future__ import annotations

import json
import re
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pyflink.table import EnvironmentSettings, TableEnvironment  # type: ignore[import-not-found]

FOLDER = Path(__file__).parent


def programs(text: str) -> Iterator[tuple[str, list[str]]]:
    """The programs of a file: their names (`-- name`), and their statements, separated by semicolons at line ends."""
    for block in re.split(r"(?m)^-- ", text)[1:]:
        name, body = block.split("\n", 1)
        yield name.strip(), [part.strip() for part in re.split(r";\s*(?:\n|$)", body) if part.strip()]


class Flink:
    """A session in which a program runs."""

    def __init__(self) -> None:
        self.env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
        self.env.get_config().set("table.local-time-zone", "UTC")
        self.env.get_config().set("table.dml-sync", "true")

    def answer(self, statement: str) -> dict[str, Any]:
        """The rows, the plan (of PLAN, which is COMPILE PLAN), or the error of a statement."""
        try:
            if statement.startswith("PLAN "):
                path = Path(tempfile.mkdtemp()) / "plan.json"
                self.env.execute_sql(f"COMPILE PLAN '{path}' FOR {statement.removeprefix('PLAN ')}")
                return {"plan": json.loads(path.read_text())}
            result = self.env.execute_sql(statement)._j_table_result
            if "INSERT" in str(result.getResultKind()) or result.getJobClient().isPresent():
                getattr(result, "await")()
                return {}
            columns = [str(name) for name in result.getResolvedSchema().getColumnNames()]
            rows = []
            iterator = result.collect()
            while iterator.hasNext():
                row = iterator.next()
                rows.append([_shown(row.getField(at)) for at in range(row.getArity())])
            return {} if rows == [["OK"]] else {"columns": columns, "rows": rows}
        except Exception as fault:
            return {"error": _message(fault)}


def _shown(value: object) -> object:
    return value if value is None or isinstance(value, bool) else str(value)


def _message(fault: Exception) -> str:
    """The innermost messages of a Java error, without its stack."""
    java = getattr(fault, "java_exception", None)
    if java is None:
        return str(fault).split("\n")[0]
    messages = []
    while java is not None:
        messages.append(str(java.getMessage()).split("\nWas expecting")[0].split("\n\tat ")[0])
        java = java.getCause()
    return " / ".join(dict.fromkeys(messages))[:400]


def main() -> None:
    """Record the named files, or all."""
    for path in sorted(FOLDER.glob("*.sql")):
        if sys.argv[1:] and path.stem not in sys.argv[1:]:
            continue
        recorded = {}
        for name, statements in programs(path.read_text()):
            flink = Flink()
            recorded[name] = [{"statement": text, **flink.answer(text)} for text in statements]
        path.with_suffix(".json").write_text(json.dumps(recorded, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
