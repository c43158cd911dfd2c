"""The result of an executed statement: rows as Python objects, as text, or as a DataFrame.

Source: Flink's `TableResult` (`collect`, `print`, `await`) and its tableau of results.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Future
from copy import copy
from threading import Thread
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, NoReturn, Self, TypeVar

from compiled_plan.planner.diagnostics.refusing import refused_method
from compiled_plan.planner.table.columns import PhysicalColumn
from compiled_plan.planner.table.schemas import ResolvedSchema
from compiled_plan.planner.table.table_schemas import TableSchema
from compiled_plan.plans.errors import ExecutionError
from compiled_plan.plans.execution.chunks import Chunk
from compiled_plan.plans.types import RowType
from compiled_plan.plans.types.conversions import converter_of
from compiled_plan.plans.types.conversions.data_type import with_mutable_rows
from compiled_plan.plans.types.conversions.data_types import DataTypes
from compiled_plan.plans.types.conversions.rows import rows_as
from compiled_plan.plans.types.mutable_row import MutableRow
from compiled_plan.plans.types.row import Row, RowKind
from compiled_plan.results.changelog import ADDS, as_changes, as_table
from compiled_plan.results.html import columns_text, note, table_html, with_kinds
from compiled_plan.results.job import Job
from compiled_plan.results.kinds import JobExecutionResult, JobStatus, ResultKind
from compiled_plan.results.preview import SECONDS, SHOWN_ROWS, Preview
from compiled_plan.results.tableau import Display, lines

if TYPE_CHECKING:
    from compiled_plan.plans.types.conversions.data_types import AnyType


Value = TypeVar("Value")


class JobClient:
    """The run behind a result: `execute_insert("sink").get_job_client().get_job_id()`.

    >>> import compiled_plan as cp  # doctest: +SKIP
    >>> env = cp.TableEnvironment()  # doctest: +SKIP
    >>> client = env.execute_sql("INSERT INTO totals SELECT * FROM orders").get_job_client()  # doctest: +SKIP
    >>> client.get_job_status().result()  # doctest: +SKIP

    Source: PyFlink's `JobClient`.
    """

    def __init__(self, job: Job) -> None:
        self._job = job

    def get_job_id(self) -> str:
        """The run's id, 32 hexadecimal digits; also the name of its thread, and printed by `print` for an INSERT."""
        return self._job.id

    def cancel(self) -> Future[None]:
        """Cancel the run, and wait for its end; no effect after it.

        Returns:
            A future that has completed.
        """
        self._job.stop()
        return _completed(None)

    def get_job_status(self) -> Future[JobStatus]:
        """The state of the run, as a future that has completed."""
        return _completed(self._job.status)

    def get_job_execution_result(self) -> Future[JobExecutionResult]:
        """A future of the end of the run; its `result()` waits for it, and raises the error of a failed run."""
        future: Future[JobExecutionResult] = Future()

        def wait() -> None:
            try:
                self._job.wait(None)
            except BaseException as fault:
                future.set_exception(fault)
            else:
                future.set_result(JobExecutionResult(self._job.id, self._job.runtime_ms))

        Thread(target=wait, name=f"wait-{self._job.id}", daemon=True).start()
        return future

    def get_accumulators(self) -> Future[dict[str, object]]:
        """A future of an empty dict: a table program has no accumulators."""
        return _completed({})

    stop_with_savepoint = refused_method(
        "stop_with_savepoint()",
        "a run keeps its state in a checkpoint, not in savepoints",
        'start it with execute(checkpoint="/data/orders"), stop it with cancel(), and start it again with that '
        "checkpoint, which may also be copied",
    )
    trigger_savepoint = refused_method(
        "trigger_savepoint()",
        "a run keeps its state in a checkpoint, not in savepoints",
        'start it with execute(checkpoint="/data/orders"), and copy the folder while it is stopped',
    )

    def __repr__(self) -> str:
        return f"JobClient({self._job.id})"


def _completed(value: Value) -> Future[Value]:
    future: Future[Value] = Future()
    future.set_result(value)
    return future


class Rows(Iterator[Row]):
    """Iterator over the rows of a result as they arrive; closing it, or leaving its `with` block, cancels the run."""

    def __init__(self, rows: Iterator[object], close: Callable[[], None]) -> None:
        self._rows, self._close = rows, close

    def next(self) -> Any:
        """The next row; as the built-in `next`."""
        return next(self)

    def __next__(self) -> Any:
        try:
            return next(self._rows)
        except StopIteration:
            raise
        except BaseException:
            # The row cannot be converted; nobody reads the rows after it.
            self._close()
            raise

    def close(self) -> None:
        """Cancel the run, even if there are more rows."""
        self._close()

    def __enter__(self) -> Rows:
        return self

    def __exit__(self, kind: type[BaseException] | None, fault: BaseException | None, at: TracebackType | None) -> None:
        self.close()


_DISPLAY = Display()


class TableResult:
    """The result of `execute()` or `execute_sql(...)`: the rows of a query, and the handle of its run.

    >>> with env.execute_sql("SELECT item, price FROM orders").collect() as rows:  # doctest: +SKIP
    ...     for row in rows:
    ...         print(row.get_row_kind(), row["item"], row["price"])

    Args:
        row_type: the columns; without fields if the statement returns no rows.
        job: the run that produces the rows; None for a statement that completes at once.
        display: the format of `print`.
        insert_only: True if no row is ever updated or deleted.
    """

    def __init__(
        self, row_type: RowType, job: Job | None = None, display: Display = _DISPLAY, *, insert_only: bool = False
    ) -> None:
        self.row_type = row_type
        self.job = job
        self.display = display
        self.insert_only = insert_only
        self._taken = False
        self._preview: Preview | None = None
        self._mutable_rows = False

    def with_mutable_rows(self) -> Self:
        """The same result, whose `collect()` returns PyFlink's rows."""
        result = copy(self)
        result._mutable_rows = True
        return result

    def __iter__(self) -> NoReturn:
        raise ExecutionError(
            "a result cannot be iterated over",
            remedy="write `for row in result.collect()`, result.print() or result.to_dataframe()",
        )

    @property
    def column_names(self) -> tuple[str, ...]:
        """The names of the columns, in order."""
        return self.row_type.names

    def get_resolved_schema(self) -> ResolvedSchema:
        """The columns with their types."""
        fields = self.row_type.fields
        return ResolvedSchema(tuple(PhysicalColumn(field.name, field.type) for field in fields))

    def get_table_schema(self) -> ResolvedSchema:
        """The columns with their types; in a session of `compiled_plan.pyflink` as a `TableSchema`."""
        schema = self.get_resolved_schema()
        return TableSchema.of_resolved(schema) if self._mutable_rows else schema

    def get_result_kind(self) -> ResultKind:
        """SUCCESS for a statement without rows that completed at once, else SUCCESS_WITH_CONTENT."""
        return ResultKind.SUCCESS if self.job is None else ResultKind.SUCCESS_WITH_CONTENT

    def get_job_client(self) -> JobClient | None:
        """The run; None for a statement that completed at once."""
        return None if self.job is None or not self.job.id else JobClient(self.job)

    def wait(self, timeout_ms: int | None = None) -> None:
        """Wait until the statement has completed; for a query, until its rows are available.

        Args:
            timeout_ms: the maximum wait in milliseconds; unlimited by default.

        Raises:
            ExecutionError: the statement failed, or did not complete in time.
        """
        if self.job is not None and not self.job.wait(None if timeout_ms is None else timeout_ms / 1000):
            raise ExecutionError(
                f"the statement did not end within {timeout_ms} ms",
                remedy="wait longer; a program over sources that never end is ended with cancel()",
            )

    def cancel(self) -> None:
        """Cancel the run by interrupting its tasks; no effect after its end.

        Raises:
            ExecutionError: the run does not stop; it ends with the program.
        """
        if self.job is not None:
            self.job.stop()

    def collect(self, data_type: AnyType = None) -> Rows:
        """The rows with their kinds, in the order of their production. They can be collected once.

        A query over unbounded sources returns rows until the iterator is closed.

        Args:
            data_type: the type of the returned objects, `Row` by default: a class with annotated fields, or a data
                type. Columns match by name if the names are the same, otherwise by position; a column may convert to
                a wider type (INT to BIGINT, CHAR to STRING). For a single column also the type of its values.

        Returns:
            An iterator over the rows.

        Raises:
            ExecutionError: the rows were collected already; while iterating, the error of the failed run.
            ProgramError: the rows do not convert to that type without loss; with column and types.
            DataError: while iterating, a value does not convert: NULL for a NOT NULL type, or refused by a converter.
        """
        return Rows(self._objects(data_type), self.cancel)

    def print(self) -> None:
        """Print the rows as Flink does, with their kinds in the column `op`; for an INSERT, print the id of its run."""
        if self.job is None or not self.row_type.fields:
            client = self.get_job_client()
            if client is not None:
                print(f"Job ID: {client.get_job_id()}", flush=True)
            self.wait()
            print("OK")
            return
        for line in lines(self.row_type, self.chunks(), self.display):
            print(line)

    def to_dataframe(self, kind: Literal["pandas", "pyarrow", "spark"] = "pandas", *, changelog: bool = False) -> Any:
        """All rows as a DataFrame, after the run has ended.

        Args:
            kind: the class: `pandas.DataFrame`, `pyarrow.Table` or `pyspark.sql.DataFrame`.
            changelog: return the changes with their kinds in a first column `op` (`_op` if there is a column `op`), not
                the table that they produce.

        Returns:
            The DataFrame.

        Raises:
            ExecutionError: the kind is unknown, the rows were collected already, or the run failed.
        """
        if kind not in ("pandas", "pyarrow", "spark"):
            raise ExecutionError(f"no kind of DataFrame is {kind!r}", remedy="choose 'pandas', 'pyarrow' or 'spark'")
        job, chunks = self.job, list(self.chunks())
        assert job is not None
        row_type = self.row_type
        if changelog:
            row_type, chunks = as_changes(row_type, chunks)
        elif any(kind_ for chunk in chunks for kind_ in chunk.kinds):
            chunks = [as_table(chunks, len(row_type.fields))]
        return job.frame(kind, chunks, row_type)

    def to_pandas(self) -> Any:
        """All rows as a DataFrame of pandas; see `to_dataframe`."""
        return self.to_dataframe("pandas")

    def _first(self, count: int) -> Chunk:
        """Take the first rows of the table that the changes produce, then end the run.

        A table with updates over bounded sources is read to its end. Over unbounded sources its rows are those after
        `count` inserts and updates.
        """
        chunks, job, adds = [], self.job, 0
        rows = self.chunks()
        assert job is not None
        try:
            while adds < count or (job.bounded and not self.insert_only):
                chunk = next(rows, None)
                if chunk is None:
                    break
                chunks.append(chunk)
                adds += sum(kind in ADDS for kind in chunk.kinds)
        finally:
            self.cancel()
        table = as_table(chunks, len(self.row_type.fields))
        return Chunk(table.kinds[:count], [column[:count] for column in table.columns])

    def __repr__(self) -> str:
        return f"TableResult({columns_text(self.row_type)})"

    def _repr_html_(self) -> str:
        """The first rows that have arrived; `collect()` returns them all the same."""
        job = self.job
        if job is None or not self.row_type.fields:
            return note("OK" if job is None or not job.id else f"Job ID: {job.id}")
        if self._taken and self._preview is None:
            return table_html(self.row_type, (), "the rows of this result were taken already")
        if self._preview is None:
            self._preview = Preview(job)
        shown = self._preview.read(SHOWN_ROWS, SECONDS)
        return table_html(*with_kinds(self.row_type, shown.chunks, self.display), shown.state)

    def chunks(self) -> Iterator[Chunk]:
        """The rows as they arrive, in columns of internal values, which `api.results.formats` formats.

        Raises:
            ExecutionError: as for `collect`.
        """
        if self.job is None or not self.row_type.fields:
            self.wait()
            return iter(())
        if self._taken:
            raise ExecutionError("the rows of this result were taken already", remedy="execute the statement again")
        self._taken = True
        return self.job.chunks() if self._preview is None else self._preview.chunks()

    def _objects(self, data_type: AnyType) -> Iterator[object]:
        names = self.row_type.names
        if data_type is not None:
            whole = rows_as(data_type, self.row_type, "collect()")
            chunks = self.chunks()
            return (whole(values) for chunk in chunks for values in zip(*chunk.columns, strict=True))
        if self._mutable_rows:
            return self._as_in_pyflink()
        fields = self.row_type.fields
        columns = [converter_of(DataTypes.of(field.type), field.name, place="collect()") for field in fields]
        chunks = self.chunks()

        def rows() -> Iterator[Row]:
            for chunk in chunks:
                outside = [
                    column if converter.plain else list(map(converter.to_external, column))
                    for column, converter in zip(chunk.columns, columns, strict=True)
                ]
                for kind, values in zip(chunk.kinds, zip(*outside, strict=True), strict=True):
                    yield Row.of(values, names, _KINDS[kind])

        return rows()

    def _as_in_pyflink(self) -> Iterator[MutableRow]:
        """The rows as PyFlink returns them; of a statement without rows, a row with OK."""
        if not self.row_type.fields:
            return iter([MutableRow("OK")])
        outward = converter_of(with_mutable_rows(DataTypes.of(self.row_type)), place="collect()").to_external
        chunks = self.chunks()

        def rows() -> Iterator[MutableRow]:
            for chunk in chunks:
                for kind, values in zip(chunk.kinds, zip(*chunk.columns, strict=True), strict=True):
                    row = outward(values)
                    row.set_row_kind(_KINDS[kind])
                    yield row

        return rows()


_KINDS = tuple(RowKind)


#: The result of a statement that completed at once.
DONE = TableResult(RowType())
