"""Plans in a program, and references to plans.

Source: Flink's `CompiledPlan` and `PlanReference`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Self

from compiled_plan.plans.deferred import deferred
from compiled_plan.plans.errors import PlanError
from compiled_plan.plans.execution.session.options import RunOptions
from compiled_plan.plans.files import exists, is_remote, quoted, write_text
from compiled_plan.plans.inspection.checked_plans import plan_from_dict
from compiled_plan.plans.inspection.explain import explain
from compiled_plan.plans.inspection.identity import keeps_state
from compiled_plan.plans.plan import CompiledPlan as Plan
from compiled_plan.plans.text import jsontext
from compiled_plan.plans.text.jsontext import Json
from compiled_plan.plans.text.smile import encode, json_text
from compiled_plan.plans.text.visible import counted
from compiled_plan.results.html import html_of
from compiled_plan.results.table_result import TableResult
from compiled_plan.running import embedded
from compiled_plan.running.errors import is_debug, reported

if TYPE_CHECKING:
    from compiled_plan.plans.execution import embedded as executor
    from compiled_plan.plans.execution.state.flink import imports
    from compiled_plan.plans.execution.state.flink.report import ImportReport
    from compiled_plan.plans.inspection.graph import drawing, svg
else:
    executor = deferred("compiled_plan.plans.execution.embedded")
    imports = deferred("compiled_plan.plans.execution.state.flink.imports")
    drawing = deferred("compiled_plan.plans.inspection.graph.drawing")
    svg = deferred("compiled_plan.plans.inspection.graph.svg")


class CompiledPlan(Plan):
    """A compiled plan: its operators, their order and settings; to write to a file, explain and run.

    >>> import compiled_plan as cp
    >>> plan = cp.compile_sql('''
    ...     CREATE TABLE orders (item STRING, price INT) WITH ('connector' = 'datagen');
    ...     CREATE TABLE totals (item STRING, total INT, PRIMARY KEY (item) NOT ENFORCED) WITH ('connector' = 'print');
    ...     INSERT INTO totals SELECT item, SUM(price) FROM orders GROUP BY item;
    ... ''')
    >>> plan.write_file("orders.json")
    >>> cp.load_plan("orders.json").as_json_string() == plan.as_json_string()
    True
    >>> print(plan.explain())
    [4] Sink(table=[default_catalog.default_database.totals], fields=[item, EXPR$1])
    +- [3] GroupAggregate(groupBy=[item], select=[item, SUM(price) AS EXPR$1])
          state: groupAggregateState, ttl 0 ms
       +- [2] Exchange(distribution=[hash[item]])
          +- [1] TableSourceScan(table=[[default_catalog, default_database, orders]], fields=[item, price])
    """

    def __repr__(self) -> str:
        operators = [node for node in self.nodes if node.kind != "exchange"]
        stateful = sum(keeps_state(node) for node in operators)
        return f"CompiledPlan({counted(len(operators), 'operator')}, {stateful} with state)"

    def _repr_html_(self) -> str:
        """The plan as a graph with its TTLs."""
        # An image of its own, so that its styles do not apply to the page.
        image = b64encode(svg.to_svg(drawing.Drawing.of(self)).encode()).decode()
        return (
            f'<div style="overflow-x: auto"><img src="data:image/svg+xml;base64,{image}" alt="{html_of(repr(self))}" '
            'style="max-width: none"></div>'
        )

    @classmethod
    def _read(cls, data: Json, source: str, text: str = "") -> Self:
        return cls.of(plan_from_dict(data, source, text))

    def write_file(self, path: str | Path) -> None:
        """Write the plan to a file atomically: readers never see half of it. An existing file is overwritten.

        Args:
            path: the file, local or remote (`s3://...`).

        Raises:
            PlanError: the file cannot be written, or the plan uses tables that exist only in this process.
        """
        embedded.check_can_leave(self)
        write_text(path, self.to_json())

    def write_to_file(self, file: str | Path, ignore_if_exists: bool = False) -> None:
        """Write the plan to a new file.

        Args:
            file: the file, local or remote (`s3://...`).
            ignore_if_exists: leave an existing file unchanged, without an error.

        Raises:
            PlanError: the file exists; or as for `write_file`.
        """
        if not exists(file):
            self.write_file(file)
        elif not ignore_if_exists:
            raise PlanError(
                f"cannot overwrite the plan file {str(file)!r}",
                where=quoted(file),
                remedy="delete it, write another file, or give ignore_if_exists=True to keep it; write_file overwrites",
            )

    def print_explain(self, *details: str) -> None:
        """Print the result of `explain`."""
        print(self.explain(*details))

    def get_flink_version(self) -> str:
        """The release of Flink whose format the plan has."""
        return self.flink_version

    def as_smile_bytes(self) -> bytes:
        """The plan in Smile, the binary form of JSON, which Flink reads, too; hence without `$schema`."""
        return encode(jsontext.loads(self.with_schema("").to_json()))

    def as_json_string(self) -> str:
        """The plan as JSON text, formatted like Flink's."""
        return self.to_json()

    def print_json_string(self) -> None:
        """Print the plan as JSON text."""
        print(self.to_json())

    def explain(self, *details: str) -> str:
        """The operators as trees from the sinks down, with the state entries of each operator.

        Args:
            details: members of `ExplainDetail`, or their names.

        Raises:
            ProgramError: a detail is unknown.
        """
        return explain(self, details)

    @embedded.with_run_options(RunOptions)
    def execute(self, options: RunOptions) -> TableResult:
        """Run the plan on an embedded local Spark, in the background.

        Args:
            options: keyword arguments, named like the run options of `execute-plan`:
                `execute(checkpoint="/data/orders", upgrade="migrate", reset=["join-1"])`. Repeatable options are lists;
                `warm_up_from` is a dictionary of connector options by table.

        Returns:
            The result, whose `wait()` waits for the end of the run.

        Raises:
            UnsupportedError: the plan has an unsupported operator or option; with its name.
            CheckpointError: the plan is incompatible with the state in the checkpoint.
            ExecutionError: a run option is invalid, or Spark does not start.
        """
        return embedded.execute(self, options)

    @reported()
    def import_state(
        self,
        savepoint: str | Path,
        checkpoint: str | Path = "",
        *,
        start: Mapping[str, str] | None = None,
        reset: Sequence[str] = (),
        written_at: str = "",
        allow_non_restored_state: bool = False,
        jars: Sequence[str] = (),
        functions_from: Sequence[str] = (),
        java_function: Sequence[str] = (),
    ) -> ImportReport:
        """Start a checkpoint with the state of a Flink job that ran the plan; the command is `import-state`.

        >>> report = plan.import_state("savepoints/savepoint-1", "checkpoints/orders")  # doctest: +SKIP
        >>> [(operator.uid, operator.outcome.value) for operator in report.operators]  # doctest: +SKIP

        Args:
            savepoint: the folder of a savepoint or of a retained checkpoint.
            checkpoint: a new folder; empty to report what would be taken over, and to write nothing.
            start: positions of sources by table: "earliest", "latest" or offsets of Kafka.
            reset: uids of operators that start empty although their state is refused; "all" for all of them.
            written_at: time of last write of entries without one, such as "2026-01-31T12:00:00Z"; by default now.
            allow_non_restored_state: leave state of the savepoint behind that is of no operator of the plan.
            jars: jars with classes that are stored in the savepoint.
            functions_from: modules, folders and jars from which the plan may import functions.
            java_function: classes of Java functions that the plan does not name, as "NAME=CLASS".

        Returns:
            The parts that are taken over, by operator, source and sink. Sizes are in bytes, times in ms since 1970.

        Raises:
            CheckpointError: the savepoint cannot be read or is not of the plan, a part of it is refused, or the
                checkpoint is not empty. Nothing is written.
            UnsupportedError: the plan has something that does not run; names it.
            ExecutionError: Java is missing, or an unsuitable Spark session is active.
        """
        options = imports.ImportOptions.of(
            [f"{table}={at}" for table, at in (start or {}).items()],
            reset,
            written_at,
            jars,
            allow_non_restored_state=allow_non_restored_state,
        )
        with imports.Import.open(str(savepoint), self, options) as opened:
            if checkpoint:
                run = RunOptions(
                    checkpoint=str(checkpoint), functions_from=tuple(functions_from), java_function=tuple(java_function)
                )
                secrets = opened.check(run)
                opened.write(executor.session(debug=is_debug()), run, secrets)
            return opened.report


class PlanReference(ABC):
    """A reference to a plan that is not loaded yet: `PlanReference.from_file("plan.json")`.

    >>> import compiled_plan as cp
    >>> plan = cp.compile_sql('''
    ...     CREATE TABLE numbers (n INT) WITH ('connector' = 'datagen');
    ...     CREATE TABLE copy (n INT) WITH ('connector' = 'print');
    ...     INSERT INTO copy SELECT * FROM numbers;
    ... ''')
    >>> cp.PlanReference.from_json_string(plan.as_json_string()).load()
    CompiledPlan(2 operators, 0 with state)
    """

    @staticmethod
    def from_file(path: str | Path) -> FilePlanReference:
        """Refer to a plan file, local or remote (`s3://...`)."""
        return FilePlanReference(str(path))

    @staticmethod
    def from_json_string(json_string: str) -> JsonContentPlanReference:
        """Refer to a plan in JSON text."""
        return JsonContentPlanReference(json_string)

    @staticmethod
    def from_smile_bytes(smile_bytes: bytes) -> BytesContentPlanReference:
        """Refer to a plan in Smile, the binary form of JSON."""
        return BytesContentPlanReference(smile_bytes)

    @abstractmethod
    def load(self) -> CompiledPlan:
        """Load the plan.

        Returns:
            The plan.

        Raises:
            PlanError: the file does not exist, or is not a plan.
        """


@dataclass(frozen=True)
class FilePlanReference(PlanReference):
    """A reference to a plan file."""

    path: str

    def get_file(self) -> str | Path:
        """The absolute path of the file; the address of a remote one."""
        return self.path if is_remote(self.path) else Path(self.path).resolve()

    def load(self) -> CompiledPlan:
        return CompiledPlan.read_file(self.path)


@dataclass(frozen=True)
class JsonContentPlanReference(PlanReference):
    """A reference to a plan in JSON text."""

    content: str

    def get_content(self) -> str:
        """The JSON text of the plan."""
        return self.content

    def load(self) -> CompiledPlan:
        return CompiledPlan.from_json(self.content)


@dataclass(frozen=True)
class BytesContentPlanReference(PlanReference):
    """A reference to a plan in Smile."""

    content: bytes

    def get_content(self) -> bytes:
        """The plan in Smile, as bytes."""
        return self.content

    def load(self) -> CompiledPlan:
        return CompiledPlan.from_json(json_text(self.content))
