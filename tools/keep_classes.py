"""Create the archive of Java classes (class data sharing) by running a small plan, so that later starts map it.

    python -m tools.keep_classes

Does nothing if the archive exists already, or `COMPILED_PLAN_CLASSES` disables it.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from compiled_plan.plans.execution.kernel import kernel_jar, use_suitable_java
from compiled_plan.plans.execution.session import class_archive

#: Timeout for Java to write the archive after the run, in seconds.
_WRITING = 120.0
_PROGRAM = """
CREATE TABLE orders (id INT, customer STRING, amount DECIMAL(10, 2), at1 TIMESTAMP(3), WATERMARK FOR at1 AS at1)
  WITH ('connector' = 'filesystem', 'path' = '{folder}/orders', 'format' = 'json');
CREATE TABLE sums (customer STRING, n BIGINT, amount DECIMAL(38, 2), PRIMARY KEY (customer) NOT ENFORCED)
  WITH ('connector' = 'filesystem', 'path' = '{folder}/sums', 'format' = 'debezium-json');
CREATE TABLE hours (w TIMESTAMP(3), n BIGINT)
  WITH ('connector' = 'filesystem', 'path' = '{folder}/hours', 'format' = 'json');
EXECUTE STATEMENT SET BEGIN
INSERT INTO sums SELECT a.customer, COUNT(*), SUM(a.amount) FROM orders a JOIN orders b ON a.id = b.id
  GROUP BY a.customer;
INSERT INTO hours SELECT window_start, COUNT(*) FROM TUMBLE(TABLE orders, DESCRIPTOR(at1), INTERVAL '1' HOUR)
  GROUP BY window_start, window_end;
END;
"""
_ROW = '{{"id": {0}, "customer": "c{1}", "amount": {0}.5, "at1": "2024-01-01 0{1}:00:00"}}\n'


def main() -> None:
    """Run the plan, and wait for the archive."""
    if _is_settled():
        return
    print("archiving Java's classes for faster starts", file=sys.stderr, flush=True)
    with tempfile.TemporaryDirectory(prefix="compiled-plan-classes-") as place:
        folder = Path(place)
        (folder / "orders").mkdir()
        (folder / "orders/part.json").write_text("".join(_ROW.format(at, at % 7) for at in range(100)))
        (folder / "program.sql").write_text(_PROGRAM.format(folder=folder))
        _command("compile_plan", folder / "program.sql", "-o", folder / "plan.json")
        _command("execute_plan", folder / "plan.json", "--master", "local[2]", "--checkpoint", folder / "checkpoint")
    deadline = time.monotonic() + _WRITING
    while not _is_settled() and time.monotonic() < deadline:
        time.sleep(0.2)


def _is_settled() -> bool:
    options = class_archive.java_options(use_suitable_java(), str(kernel_jar()))
    return not any("ArchiveClassesAtExit" in option for option in options)


def _command(name: str, *arguments: Path | str) -> None:
    line = [sys.executable, "-P", "-m", f"compiled_plan.cli.{name}", *map(str, arguments)]
    done = subprocess.run(line, capture_output=True, text=True, env=os.environ, check=False)
    if done.returncode:
        sys.exit(f"{name} ended with {done.returncode}:\n{done.stdout}{done.stderr}")


if __name__ == "__main__":
    main()
