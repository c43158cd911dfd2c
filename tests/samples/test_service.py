"""The service's samples: registrations of `make demo-service`, and the demo itself."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from compiled_plan.plans.inspection.entries import state_lines
from compiled_plan.programs import compile_sql


def test_rows_that_never_end_have_a_join_with_a_ttl_for_each_side(root: Path) -> None:
    text = (root / "samples/service/live-orders/program.sql").read_text(encoding="utf-8")
    lines = [(line.operator, line.entry, line.ttl) for line in state_lines(compile_sql(text))]
    assert lines[:2] == [("join", "leftState", "30 s"), ("join", "rightState", "1 h")]


@pytest.mark.page
def test_the_demo_registers_the_samples_and_says_where_to_look(root: Path) -> None:
    where = {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", "DEMO_ONCE": "1", "DEMO_PORT": "0"}
    done = subprocess.run(
        ["bash", "samples/demo_service.sh"],
        cwd=root,
        env={**os.environ, **where, "DEMO_ROWS": "100"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("is new and in force") == 5
    assert re.search(r"^Open   http://127\.0\.0\.1:\d+/#/pipelines", done.stdout, re.MULTILINE)
    assert re.search(r"^Token  \S{20,}$", done.stdout, re.MULTILINE)
