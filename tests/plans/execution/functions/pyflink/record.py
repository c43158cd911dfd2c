"""Record `plan.json` and `rows.json`: `python record.py`, in PyFlink's Python."""

from __future__ import annotations

import datetime as dt
import json
import sys
import tempfile
import types
from collections import Counter
from pathlib import Path
from typing import Any

from pyflink.table import EnvironmentSettings, TableEnvironment  # type: ignore[import-not-found]

FOLDER = Path(__file__).parent
#: Calls of asynchronous functions get the values of later rows in PyFlink 2.3: their rows are written by hand.
BY_HAND = "asynchronous"


def functions() -> types.ModuleType:
    """The functions with PyFlink's imports."""
    text = (FOLDER / "functions.py").read_text()
    start, end = text.index("from compiled_plan"), text.index("@udf")
    imports = "from pyflink.common import Row\nfrom pyflink.table import *\nfrom pyflink.table.udf import *\n\n"
    module = types.ModuleType("functions")
    exec(compile(text[:start] + imports + text[end:], "functions.py", "exec"), module.__dict__)
    return module


def shown(value: Any) -> str:
    """A value as the `print` connector writes it."""
    if isinstance(value, dt.datetime):
        return value.isoformat(timespec="seconds")
    return "null" if value is None else str(value)


def rows_of(env: TableEnvironment, query: str) -> list[str]:
    """The rows that remain after all changes."""
    counts: Counter[str] = Counter()
    with env.sql_query(query).execute().collect() as rows:
        for row in rows:
            counts[f"[{', '.join(map(shown, row))}]"] += -1 if str(row.get_row_kind()) in ("-U", "-D") else 1
    return sorted(counts.elements())


def main() -> None:
    """Write the plan of all queries, and their rows."""
    program, module = json.loads((FOLDER / "program.json").read_text()), functions()
    recorded = json.loads((FOLDER / "rows.json").read_text())
    env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    options = {"parallelism.default": "1", "table.local-time-zone": "UTC"}
    for key, value in {**options, "python.executable": sys.executable}.items():
        env.get_config().set(key, value)
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "rows.json").write_text("\n".join(map(json.dumps, program["rows"])))
        env.execute_sql(program["table"].replace("${data}", folder))
        for name in program["functions"]:
            env.create_temporary_function(name, getattr(module, name))
        inserts = []
        for name, (columns, query) in program["queries"].items():
            sink = f"'connector' = 'print', 'print-identifier' = '{name}'"
            env.execute_sql(f"CREATE TABLE s_{name} ({columns}) WITH ({sink})")
            inserts.append(f"INSERT INTO s_{name} {query};")
        plan = Path(folder, "plan")
        env.execute_sql(f"COMPILE PLAN '{plan}' FOR STATEMENT SET BEGIN {' '.join(inserts)} END")
        text = plan.read_text()
        plan.unlink()
        (FOLDER / "plan.json").write_text(text.replace(folder, "${data}"))
        rows = {name: rows_of(env, query) for name, (_, query) in program["queries"].items() if name != BY_HAND}
    rows[BY_HAND] = recorded[BY_HAND]
    (FOLDER / "rows.json").write_text(json.dumps({name: rows[name] for name in program["queries"]}, indent=1))


if __name__ == "__main__":
    main()
