"""What an executed statement gives: its rows as Python objects, as text, or as a DataFrame.

Source: Flink's `TableResult` (`collect`, `print`, `await`) and its tableau of results.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, NoReturn, Protocol

from compiled_plan.api.results.changelog import as_changes, as_table
from compiled_plan.api.results.tableau import Display, lines
from compiled_plan.plans.errors import ExecutionError
from compiled_plan.plans.execution.chunks import Chunk
from compiled_plan.plans.types import RowType
from compiled_plan.plans.types.conversions import converter_of
from compiled_plan.plans.types.conversions.data_types import DataTypes
from compiled_plan.plans.types.conversions.rows import rows_as
from compiled_plan.plans.types.row import Row, RowKind

if TYPE_CHECKING:
    from compiled_plan.plans.types.conversions.data_types import AnyType


class Job(Protocol):
    """A run in the background."""

    @property
    def id(self) -> str:
        """The run's own name, which no other has."""

    def chunks(self) -> Iterator[Chunk]:
        """The rows as they come; raises what made the run fail."""

    def stop(self) -> None:
        """End the run; returns when it has ended."""

    def wait(self, seconds: float | None) -> bool:
        """Wait for the end; False when it did not come in time. Raises what made the run fail."""

    def frame(self, kind: str, chunks: Sequence[Chunk], row_type: RowType) -> Any:
        """Rows as a DataFrame of pandas, PyArrow or Spark, without kinds."""


class JobClient:
    """The run behind a result: `execute_insert("sink").get_job_client().get_job_id()`.

    Source: PyFlink's `JobClient`.
    """

    def __init__(self, job: Job) -> None:
        self._job = job

    def get_job_id(self) -> str:
        """The run's id, 32 hexadecimal digits; also the name of its thread, and what `print` says of an INSERT."""
        return self._job.id

    def cancel(self) -> None:
        """End the run, if it still runs."""
        self._job.stop()

    def __repr__(self) -> str:
        return f"JobClient({self._job.id})"


class Rows(Iterator[Row]):
    """The rows of a result, one by one as they come. Closing it, or leaving its `with` block, ends the run."""

    def __init__(self, rows: Iterator[Any], close: Callable[[], None]) -> None:
        self._rows, self._close = rows, close

    def __next__(self) -> Any:
        try:
            return next(self._rows)
        except StopIteration:
            raise
        except BaseException:
            # A row that cannot become an object: nobody takes the rows behind it.
            self._close()
            raise

    def close(self) -> None:
        """End the run, whether or not there are more rows."""
        self._close()

    def __enter__(self) -> Rows:
        return self

    def __exit__(self, kind: type[BaseException] | None, fault: BaseException | None, at: TracebackType | None) -> None:
        self.close()


_DISPLAY = Display()


class TableResult:
    """The result of `execute()`.

    Args:
        row_type: the columns; without fields where the statement gives no rows.
        job: the run that gives the rows; None for a statement that is carried out at once.
        display: how `print` shows the rows.
    """

    def __init__(self, row_type: RowType, job: Job | None = None, display: Display = _DISPLAY) -> None:
        self.row_type = row_type
        self._job = job
        self._display = display
        self._taken = False

    def __iter__(self) -> NoReturn:
        raise ExecutionError(
            "a result cannot be iterated over",
            remedy="write `for row in result.collect()`, result.print() or result.to_dataframe()",
        )

    @property
    def column_names(self) -> tuple[str, ...]:
        """The names of the columns in order."""
        return self.row_type.names

    def get_job_client(self) -> JobClient | None:
        """The run; None of a statement that was carried out at once."""
        return None if self._job is None or not self._job.id else JobClient(self._job)

    def wait(self, timeout_ms: int | None = None) -> None:
        """Wait until the statement has done its work, and in a query until its rows are there.

        Args:
            timeout_ms: milliseconds to wait at most.

        Raises:
            ExecutionError: it failed, or did not end in time.
        """
        if self._job is not None and not self._job.wait(None if timeout_ms is None else timeout_ms / 1000):
            raise ExecutionError(
                f"the statement did not end within {timeout_ms} ms",
                remedy="wait longer; a program over sources that never end is ended with cancel()",
            )

    def cancel(self) -> None:
        """End the run, if it still runs: its tasks are interrupted.

        Raises:
            ExecutionError: it goes on nevertheless; it ends with the program.
        """
        if self._job is not None:
            self._job.stop()

    def collect(self, data_type: AnyType = None) -> Rows:
        """The rows, in the order in which they are made, each with its kind. They can be taken once.

        A query over sources that never end gives rows until it is closed.

        Args:
            data_type: what each row becomes; Row if left out. A class with fields (their annotations count), or a data
                type: each column in its own type or in one that holds it without loss (INT in BIGINT, CHAR in STRING),
                by name where the names are those of the columns, else by position. Of a single column also the type
                of its values.

        Raises:
            ExecutionError: the rows were taken already; while iterating, what made the run fail.
            ProgramError: the rows cannot become that type, or not without loss; names column and types.
            DataError: while iterating, a value that cannot: NULL where the type is NOT NULL, what a converter refuses.
        """
        return Rows(self._objects(data_type), self.cancel)

    def print(self) -> None:
        """Print the rows as Flink does, the kind of each in the column `op`; of an INSERT the id of its run."""
        if self._job is None or not self.row_type.fields:
            client = self.get_job_client()
            if client is not None:
                print(f"Job ID: {client.get_job_id()}", flush=True)
            self.wait()
            print("OK")
            return
        for line in lines(self.row_type, self._chunks(), self._display):
            print(line)

    def to_dataframe(self, kind: Literal["pandas", "pyarrow", "spark"] = "pandas", *, changelog: bool = False) -> Any:
        """The rows as a DataFrame, once there are no more.

        Args:
            kind: of pandas (`pandas.DataFrame`), PyArrow (`pyarrow.Table`) or Spark (`pyspark.sql.DataFrame`).
            changelog: False for the table that is left when all changes are done; True for the changes, with the kind
                of each in a first column `op`.

        Raises:
            ExecutionError: no such kind; the rows were taken already; the run failed.
        """
        if kind not in ("pandas", "pyarrow", "spark"):
            raise ExecutionError(f"no kind of DataFrame is {kind!r}", remedy="choose 'pandas', 'pyarrow' or 'spark'")
        job, chunks = self._job, list(self._chunks())
        assert job is not None
        row_type = self.row_type
        if changelog:
            row_type, chunks = as_changes(row_type, chunks)
        elif any(kind_ for chunk in chunks for kind_ in chunk.kinds):
            chunks = [as_table(chunks, len(row_type.fields))]
        return job.frame(kind, chunks, row_type)

    def to_pandas(self) -> Any:
        """As `to_dataframe("pandas")`."""
        return self.to_dataframe("pandas")

    def _chunks(self) -> Iterator[Chunk]:
        if self._job is None or not self.row_type.fields:
            self.wait()
            return iter(())
        if self._taken:
            raise ExecutionError("the rows of this result were taken already", remedy="execute the statement again")
        self._taken = True
        return self._job.chunks()

    def _objects(self, data_type: AnyType) -> Iterator[Any]:
        names = self.row_type.names
        if data_type is not None:
            whole = rows_as(data_type, self.row_type, "collect()")
            chunks = self._chunks()
            return (whole(values) for chunk in chunks for values in zip(*chunk.columns, strict=True))
        fields = self.row_type.fields
        columns = [converter_of(DataTypes.of(field.type), field.name, place="collect()") for field in fields]
        chunks = self._chunks()

        def rows() -> Iterator[Row]:
            for chunk in chunks:
                outside = [
                    column if converter.plain else list(map(converter.to_external, column))
                    for column, converter in zip(chunk.columns, columns, strict=True)
                ]
                for kind, values in zip(chunk.kinds, zip(*outside, strict=True), strict=True):
                    yield Row.of(values, names, _KINDS[kind])

        return rows()


_KINDS = tuple(RowKind)


#: The result of a statement that was carried out at once.
DONE = TableResult(RowType())
