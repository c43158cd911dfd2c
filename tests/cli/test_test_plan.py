"""`test-plan`: its output, exit codes, updates and JUnit files."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from typer.testing import CliRunner

from compiled_plan.cli.test_plan import app

PROGRAM = """\
CREATE TABLE orders (customer STRING, price INT) WITH ('connector' = 'datagen');
CREATE TABLE totals (customer STRING, paid INT) WITH ('connector' = 'print');
INSERT INTO totals SELECT customer, SUM(price) FROM orders GROUP BY customer;
"""
TESTS = """\
program: totals.sql
tests:
  - name: right
    steps:
      - rows: {orders: [{customer: ann, price: 1}]}
      - expect: {totals: [+I: {customer: ann, paid: 1}]}
  - name: wrong
    steps:
      - rows: {orders: [{customer: ann, price: 1}]}
      - expect: {totals: [+I: {customer: ann, paid: 2}]} # to be updated
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "totals.sql").write_text(PROGRAM)
    (tmp_path / "totals.test.yaml").write_text(TESTS)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.usefixtures("shared_session")
def test_results_updates_and_reports(folder: Path) -> None:
    runner = CliRunner()
    failed = runner.invoke(app, ["--junit", "results.xml"])
    assert failed.exit_code == 1
    assert "ok     totals.test.yaml: right\nFAILED totals.test.yaml: wrong\n" in failed.stdout
    assert "  paid: expected 2, got 1\n" in failed.stdout
    assert "1 test failed, 1 passed in" in failed.stdout
    suite = ET.parse(folder / "results.xml").getroot()[0]
    assert [(case.get("name"), len(case)) for case in suite] == [("right", 0), ("wrong", 1)]
    assert runner.invoke(app, [".", "-k", "right", "-q"]).exit_code == 0
    updated = runner.invoke(app, ["totals.test.yaml", "--update"])
    assert (updated.exit_code, "totals.test.yaml: 1 expectation updated" in updated.stdout) == (0, True)
    assert (folder / "totals.test.yaml").read_text() == TESTS.replace("paid: 2", "paid: 1")
    assert runner.invoke(app, []).exit_code == 0


def test_refused_files(folder: Path) -> None:
    runner = CliRunner()
    (folder / "totals.test.yaml").write_text("program: totals.sql\nstep: []\n")
    refused = runner.invoke(app, [])
    assert refused.exit_code == 1
    assert "unknown key 'step'" in refused.stderr
    assert "line 1" in refused.stderr
    (folder / "totals.test.yaml").unlink()
    nothing = runner.invoke(app, [])
    assert (nothing.exit_code, "no tests in ." in nothing.stderr) == (1, True)
    (folder / "totals.test.yaml").write_text(TESTS)
    unknown = runner.invoke(app, ["-k", "wrogn"])
    assert (unknown.exit_code, "no test in . has 'wrogn' in its name" in unknown.stderr) == (1, True)
    assert runner.invoke(app, ["--watch", "--update"]).exit_code == 2
