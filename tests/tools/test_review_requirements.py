from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.support.commands import ROOT
from tools.review_requirements import requirements

PROGRAM = """
CREATE TABLE a (k STRING, v BIGINT) WITH ('connector' = 'datagen');
CREATE TABLE b (k STRING, v BIGINT) WITH ('connector' = 'print');
INSERT INTO b SELECT k, SUM(v) FROM a GROUP BY k;
"""


def test_all_dependencies_are_pinned() -> None:
    pins = {block.partition("==")[0]: block for block in requirements()}
    assert {"pydantic", "jsonschema", "typer", "rich", "fsspec"} < pins.keys()
    # Dependencies of dependencies, and none of runs or of the service alone.
    assert {"pydantic-core", "rpds-py"} < pins.keys() and not {"pyspark", "pandas", "numpy", "fastapi"} & pins.keys()
    assert all("--hash=sha256:" in block for block in pins.values())


def test_a_review_imports_no_package_of_runs(tmp_path: Path) -> None:
    git = ["git", "-c", "user.name=n", "-c", "user.email=n@example.org", "-C", str(tmp_path)]
    subprocess.run([*git, "init", "--quiet"], check=True)
    subprocess.run([*git, "commit", "--quiet", "--allow-empty", "--message=first"], check=True)
    (tmp_path / "job.sql").write_text(PROGRAM)
    packages = ("pyspark", "pandas", "pyarrow", "py4j", "numpy")
    code = (
        f"import sys\nsys.modules |= dict.fromkeys({packages})\n"
        "from compiled_plan.cli import review_plans\nreview_plans.app([])"
    )
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "") and done.stdout.startswith("## Plans: new\n")
