"""The first rows of a run as a JSON document, within limits on rows, bytes and time."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel, Field

from compiled_plan.plans.execution.chunks import Chunk
from compiled_plan.plans.inspection.lineage.meaning import type_text
from compiled_plan.plans.types import RowType
from compiled_plan.plans.types.row import RowKind
from compiled_plan.results.table_result import TableResult
from compiled_plan.results.tableau import Display, cell_texts

_KINDS = tuple(RowKind)
#: The maximum length of a value, and the mark at the end of a longer one.
MOST_TEXT, CUT = 4_000, "…"

Ending = Literal["end", "rows", "bytes", "seconds"]


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits on rows.

    Args:
        rows: their maximum number.
        seconds: the maximum time to wait for them.
        bytes: the maximum size of their texts.
    """

    rows: int = 100
    seconds: float = 30.0
    bytes: int = 1_000_000


class ShownColumn(BaseModel):
    """A column."""

    name: str
    type: str


class ShownRow(BaseModel):
    """A row of a changelog."""

    kind: str = Field(description="kind of the change: `+I`, `-U`, `+U` or `-D`")
    values: list[str | None] = Field(description=f"values as text, cut after {MOST_TEXT} characters; null for NULL")


class BoundedRows(BaseModel):
    """The first rows of a query, in the order of their production."""

    columns: list[ShownColumn]
    rows: list[ShownRow]
    ended: Ending = Field(description="the end of the rows, or the limit that ended them")


class RowTexts:
    """Rows as texts, until a limit on their number or size is reached.

    Args:
        row_type: the columns.
        display: the time zone.
        limits: the limits.
    """

    def __init__(self, row_type: RowType, display: Display, limits: Limits) -> None:
        self._row_type, self._limits = row_type, limits
        self._texts: Callable[..., list[str | None]] = cell_texts(row_type, display, None)
        self._rows: list[ShownRow] = []
        self._bytes = 0

    def __len__(self) -> int:
        return len(self._rows)

    def add(self, chunk: Chunk) -> Ending | None:
        """Add rows; return the limit that is reached."""
        for kind, row in zip(chunk.kinds, zip(*chunk.columns, strict=True), strict=True):
            values = [None if text is None else _cut(text) for text in self._texts(row)]
            self._bytes += sum(len(text.encode()) for text in values if text is not None)
            if self._bytes > self._limits.bytes:
                return "bytes"
            self._rows.append(ShownRow(kind=_KINDS[kind].short, values=values))
            if len(self._rows) == self._limits.rows:
                return "rows"
        return None

    def document(self, ended: Ending) -> BoundedRows:
        """The rows as a document."""
        columns = [ShownColumn(name=field.name, type=type_text(field.type)) for field in self._row_type.fields]
        return BoundedRows(columns=columns, rows=self._rows, ended=ended)


def _cut(text: str) -> str:
    return text if len(text) <= MOST_TEXT else text[:MOST_TEXT] + CUT


def bounded_rows(result: TableResult, limits: Limits, report: Callable[[int], None] = lambda _: None) -> BoundedRows:
    """The first rows of a run, which is cancelled at a limit.

    Args:
        result: the result of the run, whose rows are taken.
        limits: the limits.
        report: called with the number of rows so far.

    Raises:
        ExecutionError: the run failed.
    """
    texts = RowTexts(result.row_type, result.display, limits)
    try:
        return texts.document(_read(result, texts, limits, report))
    finally:
        result.cancel()


def _read(result: TableResult, texts: RowTexts, limits: Limits, report: Callable[[int], None]) -> Ending:
    job, deadline = result.job, time.monotonic() + limits.seconds
    assert job is not None
    chunks: Iterator[Chunk] = result.chunks()
    while job.is_ready(max(0.0, deadline - time.monotonic())):
        chunk = next(chunks, None)
        if chunk is None:
            return "end"
        if (limit := texts.add(chunk)) is not None:
            return limit
        report(len(texts))
    return "seconds"
