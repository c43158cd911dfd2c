"""Results whose rows are available at once: DESCRIBE, SHOW and EXPLAIN.

Source: Flink's `TableResult` of such statements, which prints no row kinds; Flink's page "DESCRIBE Statements";
FLIP-155, "describe".
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from compiled_plan.planner.sql.binding.inserts import summary
from compiled_plan.planner.table.columns import SchemaColumn
from compiled_plan.planner.table.schemas import ResolvedSchema
from compiled_plan.plans.errors import ExecutionError, ProgramError
from compiled_plan.plans.execution.chunks import Chunk
from compiled_plan.plans.text.masking import masked_text
from compiled_plan.plans.text.visible import counted
from compiled_plan.plans.types import BOOLEAN, STRING, RowType, row_of
from compiled_plan.plans.types.row import RowKind
from compiled_plan.results.html import block, shortened, table_html
from compiled_plan.results.kinds import JobStatus
from compiled_plan.results.preview import SHOWN_ROWS
from compiled_plan.results.table_result import TableResult
from compiled_plan.results.tableau import NULL, cell_texts, counted_frame


@dataclass(frozen=True)
class EndedJob:
    """A finished run: a `Job` with all its rows."""

    rows: Sequence[Sequence[object]]
    #: The DataFrame of some rows; None if there is none.
    frames: Callable[[str, Sequence[Chunk], RowType], object] | None = None
    #: Empty, since nothing runs.
    id: str = ""
    status: JobStatus = JobStatus.FINISHED
    runtime_ms: int = 0
    bounded: bool = True

    def chunks(self) -> Iterator[Chunk]:
        if self.rows:
            columns = list(zip(*self.rows, strict=True))
            yield Chunk([list(RowKind).index(RowKind.INSERT)] * len(self.rows), columns)

    def is_ready(self, seconds: float) -> bool:
        return True

    def stop(self) -> None:
        """Do nothing: the result has no run."""

    def wait(self, seconds: float | None) -> bool:
        return True

    def on_end(self, report: Callable[[JobStatus, BaseException | None], None]) -> None:
        report(self.status, None)

    def frame(self, kind: str, chunks: Sequence[Chunk], row_type: RowType) -> object:
        if self.frames is not None:
            return self.frames(kind, chunks, row_type)
        raise ExecutionError("this statement gives no DataFrame", remedy="take its rows with collect()")


class ReadyResult(TableResult):
    """A result with all its rows.

    Args:
        row_type: the columns.
        rows: one sequence of values per row.
        text: the output of `print`; the rows in a frame by default.
    """

    def __init__(self, row_type: RowType, rows: Sequence[Sequence[object]], text: str = "") -> None:
        super().__init__(row_type, EndedJob(rows), insert_only=True)
        self._rows = rows
        self._text = text

    def print(self) -> None:
        """Print the rows in a frame."""
        print(self)

    def __str__(self) -> str:
        rows = [[cell or "" for cell in row] for row in self._cells()]
        return self._text or "\n".join(counted_frame(self.column_names, rows))

    def __repr__(self) -> str:
        return str(self) if len(self._rows) <= SHOWN_ROWS else super().__repr__()

    def _repr_html_(self) -> str:
        if self._text:
            return block(self._text)
        cells = [[cell and masked_text(cell) for cell in row] for row in self._cells()]
        return table_html(self.row_type, cells, counted(len(cells), "row"))

    def _cells(self) -> list[list[str | None]]:
        """The rows as text; None is NULL."""
        return [[None if cell is None else _shown(cell) for cell in row] for row in self._rows]


class FirstRows(ReadyResult):
    """The first rows of a table, whose run has ended.

    Args:
        result: the result of the run, which this takes.
        count: the maximum number of rows.
    """

    def __init__(self, result: TableResult, count: int) -> None:
        if count < 1:
            raise ProgramError(f"{count} is no number of rows", where="head()", remedy="write 1 or more")
        rows = list(zip(*result._first(count).columns, strict=True))
        super().__init__(result.row_type, rows)
        self.job = EndedJob(rows, None if result.job is None else result.job.frame)
        self.display, self._mutable_rows = result.display, result._mutable_rows

    def chunks(self) -> Iterator[Chunk]:
        assert self.job is not None
        return self.job.chunks()

    def __str__(self) -> str:
        rows = list(map(cell_texts(self.row_type, self.display, NULL), self._rows))
        return "\n".join(counted_frame(self.column_names, rows))

    def _repr_html_(self) -> str:
        cells = [shortened(row) for row in map(cell_texts(self.row_type, self.display, None), self._rows)]
        return table_html(self.row_type, cells, counted(len(cells), "row"))


def _shown(cell: object) -> str:
    if isinstance(cell, datetime):
        return cell.isoformat(timespec="milliseconds")
    return str(cell).upper() if isinstance(cell, bool) else str(cell)


_COLUMNS = ("name", "type", "null", "key", "extras", "watermark")


def description(schema: ResolvedSchema, columns: Sequence[SchemaColumn] | None = None) -> ReadyResult:
    """The result of DESCRIBE: one row per column, with a last field for comments if any column has one.

    Args:
        schema: the schema.
        columns: those of its columns to show; all by default.
    """
    commented = any(column.comment is not None for column in schema.columns)
    key = f"PRI({', '.join(schema.primary_key)})"
    rows = [
        (
            column.name,
            summary(column.data_type.with_nullability(True)),
            column.data_type.nullable,
            key if column.name in schema.primary_key else None,
            column.extras,
            column.watermark,
            *((column.comment,) if commented else ()),
        )
        for column in (schema.columns if columns is None else columns)
    ]
    names = (*_COLUMNS, *(("comment",) if commented else ()))
    return ReadyResult(row_of(names, [BOOLEAN if name == "null" else STRING for name in names]), rows)
