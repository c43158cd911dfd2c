"""Cases: files of tests against their schema."""

from __future__ import annotations

from pathlib import Path

import pytest

from compiled_plan.plans.errors import ProgramError
from compiled_plan.testing.cases import cases_of, time_of
from compiled_plan.testing.document import read_document

STEPS = "steps:\n  - rows: {t: [{a: 1}]}\n"


def refusal(text: str) -> str:
    with pytest.raises(ProgramError) as fault:
        cases_of(read_document("x.test.yaml", text))
    return str(fault.value)


@pytest.mark.parametrize(
    ("text", "message", "line"),
    [
        ("program: a.sql\nsteps:\n  - row: {t: []}\n", "unknown key 'row'", 3),
        ("program: a.sql\nsteps:\n  - rows: [1]\n", "steps.0.rows is not a mapping", 3),
        ("program: a.sql\nsteps:\n  - rows: {t: []}\n    expect: {s: []}\n", "rows and expect", 3),
        (STEPS, "the test has no program", 1),
        ("program: a.sql\nsql: SELECT 1\n" + STEPS, "either `program` or `sql`", 1),
        ("program: a.sql\n", "the test has no steps", 1),
        ("program: a.sql\nclock: soon\n" + STEPS, "'soon' is no time", 2),
        (
            "program: a.sql\ntests:\n  - name: a\n    error: x\n  - name: a\n    error: y\n",
            "two tests are named 'a'",
            5,
        ),
        ("- a\n", "the file is not a mapping", 1),
        ("program: a.sql\nsteps:\n  - rows: {t: [1]}\n", "steps.0.rows.t.0 is 1\n", 3),
    ],
)
def test_refused_files(text: str, message: str, line: int) -> None:
    refused = refusal(text)
    assert message in refused
    assert f"line {line}" in refused
    assert "try: " in refused


def test_tests_share_what_precedes_them() -> None:
    text = "program: a.sql\nset: {x: true}\ntests:\n  - {name: b, error: c}\n  - {program: d, error: e, engine: quick}"
    first, second = cases_of(read_document("folder/x.test.yaml", text))
    assert (first.name, first.program, first.settings, first.engine) == ("b", "a.sql", {"x": "true"}, "")
    assert (second.name, second.program, second.engine) == ("test 2", "d", "quick")
    assert first.files == ["folder/x.test.yaml", "folder/a.sql"]


def test_the_program_with_the_name_of_the_file(tmp_path: Path) -> None:
    (tmp_path / "x.test.yaml").write_text(STEPS)
    for name in ("x.json", "x.py", "x.sql"):
        (tmp_path / name).touch()
        (case,) = cases_of(read_document(tmp_path / "x.test.yaml"))
        assert (case.program, case.file(case.program)) == (name, str(tmp_path / name))
    (case,) = cases_of(read_document(tmp_path / "x.test.yaml", f"sql: SELECT 1\n{STEPS}"))
    assert case.program == ""
    with pytest.raises(ProgramError, match="the test has no program"):
        list(cases_of(read_document(tmp_path / "x.v2.test.yaml", STEPS)))
    (tmp_path / "x.v2.sql").touch()
    (case,) = cases_of(read_document(tmp_path / "x.v2.test.yaml", STEPS))
    assert (case.name, case.program) == ("x.v2", "x.v2.sql")


def test_shared_steps_have_their_place() -> None:
    document = read_document("x.test.yaml", "steps:\n  - rows: {t: []}\ntests:\n  - program: a\n  - program: b\n")
    for case in cases_of(document):
        assert document.where(case.steps[0].spot).endswith("line 2")


def test_times() -> None:
    document = read_document("x.test.yaml", "")
    assert time_of(document, (), "1970-01-01 00:00:01") == 1000
    assert time_of(document, (), "1970-01-01T01:00:01+01:00") == 1000
    assert time_of(document, (), "+2 h", 1000) == 7_201_000
    with pytest.raises(ProgramError, match="a duration"):
        time_of(document, (), "2 h", 0)
