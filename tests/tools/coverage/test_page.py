"""The page about the coverage of Flink: it is current, and every name has an answer."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tools.coverage.answers import Answer
from tools.coverage.page import PAGE, RUNS, Row, Section, page, reason, sections, shown
from tools.reference.markdown import table

pytestmark = pytest.mark.slow

#: One row in so many is asked anew; asking all takes some seconds.
SAMPLE = 13


@pytest.fixture(scope="module", name="every")
def _every() -> list[Section]:
    return sections()


@pytest.fixture(scope="module", name="text")
def _text() -> str:
    return PAGE.read_text(encoding="utf-8")


def _rows(every: list[Section]) -> Iterator[Row]:
    return (row for section in every for row in section.rows)


def test_every_row_has_a_question_or_flinks_refusal(every: list[Section]) -> None:
    assert [row.name for row in _rows(every) if not row.ask and not row.refusal] == []


def has_answer(row: Row, lines: list[str]) -> bool:
    """Return True if a line of the page has the answer to a row: in a list of those that run, or in a table."""
    if row.answer and row.answer.runs:
        text = RUNS
        if row.name in lines:
            return True
    else:
        text = reason(row)
    name, end = (table((), [(cell,)]).splitlines()[-1][2:-2] for cell in (shown(row), text))
    return any(name in line and line.endswith(f"| {end} |") for line in lines)


@pytest.mark.wide
def test_the_page_has_the_answers_of_today(every: list[Section], text: str) -> None:
    sample = [row for at, row in enumerate(_rows(every)) if at % SAMPLE == 0]
    assert len(sample) > 100
    lines = text.splitlines()
    assert [row.name for row in sample if not has_answer(row, lines)] == [], "run `make docs-coverage`"


@pytest.mark.wide
def test_refusals_have_a_text(every: list[Section]) -> None:
    sample = [row for at, row in enumerate(_rows(every)) if at % SAMPLE == 0]
    assert [row.name for row in sample if row.refused and not row.refused.text] == []


def test_a_changed_answer_changes_the_page(every: list[Section], text: str) -> None:
    row = next(row for row in every[1].rows if row.answer and row.answer.runs)
    refused = Row(row.kind, row.name, lambda: Answer(False, "not today"))
    lines = text.splitlines()
    assert has_answer(row, lines)
    assert not has_answer(refused, lines)


@pytest.mark.deep
def test_the_page_is_current(every: list[Section], text: str) -> None:
    assert page(every) == text, "run `make docs-coverage`"
