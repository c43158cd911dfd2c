"""Expectations written back: only the texts of rows change."""

from __future__ import annotations

from dataclasses import replace

import pytest

from compiled_plan.plans import types as t
from compiled_plan.plans.errors import ProgramError
from compiled_plan.testing.comparing import Change
from compiled_plan.testing.document import KeyPath, read_document
from compiled_plan.testing.running import Expectation
from compiled_plan.testing.updating import updated_text

ROW = t.row_of(("a", "b"), (t.STRING, t.INT))
CAME = (Change("+I", ("x: y", 1)), Change("-U", ("true", None)))
BEFORE = """\
program: x.sql # the program
steps:
  - expect: {s: [+I: {a: x}]}  # one
  - expect:
      s:
        # before
        - +I: {a: y}
        - +I: {a: z}

        # behind
      t:
  - expect:
      s: {table: [{a: x}]}
"""
AFTER = """\
program: x.sql # the program
steps:
  - expect: {s: [+I: {a: "x: y", b: 1}, -U: {a: "true", b: null}]}  # one
  - expect:
      s:
        # before
        - +I: {a: "x: y", b: 1}
        - -U: {a: "true", b: null}

        # behind
      t: [+I: {a: "x: y", b: 1}, -U: {a: "true", b: null}]
  - expect:
      s: {table: [{a: "x: y", b: 1}, {a: "true", b: null}]}
"""


def test_only_rows_change() -> None:
    paths: list[tuple[KeyPath, bool]] = [
        (("steps", 0, "expect", "s"), True),
        (("steps", 1, "expect", "s"), True),
        (("steps", 1, "expect", "t"), True),
        (("steps", 2, "expect", "s", "table"), False),
    ]
    came = [Expectation(path, CAME, ROW, changes, differs=True) for path, changes in paths]
    assert updated_text(read_document("x.test.yaml", BEFORE), came) == AFTER


def test_shared_rows() -> None:
    tests = "steps:\n  - expect: {s: [{a: x}]}\ntests:\n  - program: a\n  - program: b\n"
    document = read_document("x.test.yaml", tests)
    path: KeyPath = ("steps", 0, "expect", "s")
    first = Expectation(path, CAME[:1], ROW, changes=True, differs=True)
    after = tests.replace("[{a: x}]", '[+I: {a: "x: y", b: 1}]')
    assert updated_text(document, [first, replace(first, differs=False)]) == after
    with pytest.raises(ProgramError, match="several expectations share"):
        updated_text(document, [first, replace(first, actual=CAME, differs=False)])
    aliased = read_document("x.test.yaml", "steps:\n  - expect: {s: &same [{a: x}], t: *same}\n")
    with pytest.raises(ProgramError, match="several expectations share"):
        updated_text(aliased, [first])


def test_no_rows() -> None:
    document = read_document("x.test.yaml", "steps:\n  - expect:\n      s:\n        - {a: x}\n")
    came = [Expectation(("steps", 0, "expect", "s"), (), ROW, changes=True, differs=True)]
    assert read_document("x", updated_text(document, came)).value == {"steps": [{"expect": {"s": []}}]}
