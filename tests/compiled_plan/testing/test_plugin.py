"""The plugin of pytest collects files of tests."""

from __future__ import annotations

import pytest

pytest_plugins = ["pytester"]
TESTS = """\
sql: |
  CREATE TABLE o (v INT) WITH ('connector' = 'datagen');
  CREATE TABLE p (v INT) WITH ('connector' = 'print');
  INSERT INTO p SELECT v + 1 FROM o;
tests:
  - name: right
    steps: [{rows: {o: [[1]]}}, {expect: {p: [[2]]}}]
  - name: wrong
    steps: [{rows: {o: [[1]]}}, {expect: {p: [[3]]}}]
"""


@pytest.mark.usefixtures("spark")
def test_files_become_tests(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    pytester.makefile(".test.yaml", sums=TESTS)
    pytester.makefile(".test.yaml", refused="steps: []\n")
    result = pytester.runpytest_inprocess("-p", "compiled_plan.testing.plugin", "--continue-on-collection-errors")
    assert result.parseoutcomes().items() >= {"passed": 1, "failed": 1, "errors": 1}.items()
    result.stdout.fnmatch_lines(
        ["*refused.test.yaml', line 1", "*sums.test.yaml', line 9: p differs", "*v: expected 3, got 2"]
    )
