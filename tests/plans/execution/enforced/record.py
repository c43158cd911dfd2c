"""Records Flink's result for each row under each combination of options in `flink.json`.

python -m venv flink && flink/bin/pip install apache-flink==2.3.0
PYTHONPATH=. flink/bin/python tests/plans/execution/enforced/record.py
"""

from __future__ import annotations

import json
import shutil
import tempfile
from pathlib import Path
from typing import Any

from pyflink.table import EnvironmentSettings, TableEnvironment  # type: ignore[import-not-found]

from tests.plans.execution.enforced import cases

#: `broken`: Flink itself fails, with a ClassCastException.
REFUSED, FAILED, DROPPED, BROKEN = "refused", "failed", "dropped", "broken"


def answer(folder: Path, row: dict[str, Any], choice: tuple[str, str, str]) -> Any:
    """The row as written, or a word for the reason why it is not."""
    shutil.rmtree(folder / "out", ignore_errors=True)
    (folder / "rows.json").write_text(json.dumps(row) + "\n", encoding="utf-8")
    env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    for key, value in {"parallelism.default": "1", **cases.options(choice)}.items():
        env.get_config().set(key, value)
    for statement in cases.tables(folder / "rows.json", folder / "out"):
        env.execute_sql(statement)
    try:
        result = env.execute_sql("INSERT INTO o SELECT * FROM t")
    except Exception as refusal:
        assert "not supported if constraint checking is enabled on types nested" in str(refusal), str(refusal)[:2000]
        return REFUSED
    try:
        result.wait()
    except Exception as failure:
        assert "EnforcerException" in str(failure) or "ClassCastException" in str(failure), str(failure)[:2000]
        return FAILED if "EnforcerException" in str(failure) else BROKEN
    rows = cases.written(folder / "out")
    return rows[0] if rows else DROPPED


def main() -> None:
    """Record all answers."""
    folder = Path(tempfile.mkdtemp())
    answers = {
        " ".join(choice): {name: answer(folder, row, choice) for name, row in cases.ROWS.items()}
        for choice in cases.CHOICES
    }
    lines = [
        f" {json.dumps(choice)}: {{\n"
        + ",\n".join(f"  {json.dumps(name)}: {json.dumps(row)}" for name, row in rows.items())
        + "\n }"
        for choice, rows in answers.items()
    ]
    cases.ANSWERS.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
