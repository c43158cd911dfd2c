"""Tests recorded from a run: a sample of its input, and the rows that the program makes of it."""

from __future__ import annotations

import datetime as dt
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from compiled_plan.compiling.scripts import Session, compiled
from compiled_plan.plans.errors import ProgramError
from compiled_plan.plans.execution.operators.base import has_event_time
from compiled_plan.plans.execution.testing.replacing import PlanTables, table_id
from compiled_plan.plans.execution.testing.sampling import Sample, samples
from compiled_plan.plans.execution.testing.sessions import engines_of
from compiled_plan.plans.files import exists, is_remote, quoted, write_text
from compiled_plan.plans.files.folders import folder_to_read
from compiled_plan.plans.inspection.checked_plans import plan_from_json
from compiled_plan.plans.inspection.checkpoints import CheckpointReader
from compiled_plan.plans.secrets.values import Secrets
from compiled_plan.plans.text import jsontext
from compiled_plan.plans.text.masking import masked_json
from compiled_plan.plans.text.visible import counted
from compiled_plan.testing.cases import Case, cases_of
from compiled_plan.testing.document import KINDS, read_document
from compiled_plan.testing.reporting import failure_text
from compiled_plan.testing.running import read_columns, run_case, short_name
from compiled_plan.testing.updating import updated_text
from compiled_plan.testing.values import scalar, shown, written_value

if TYPE_CHECKING:
    from compiled_plan.plans.plan import CompiledPlan

_SUFFIX = ".test.yaml"


@dataclass(frozen=True, slots=True)
class Recording:
    """The request for a test of a run's input.

    Args:
        checkpoint: the checkpoint of the run.
        plan: the plan that runs on it.
        file: the file of the test.
        program: the program to test; empty for the plan, of which a copy is written beside the test.
        rows: the maximum number of rows per table.
    """

    checkpoint: str
    plan: CompiledPlan
    file: Path
    program: str
    rows: int
    secrets: Secrets

    @classmethod
    def of(cls, checkpoint: str, output: str, program: str, rows: int, *, force: bool) -> Recording:
        """Read the plan of a checkpoint, and check that the files of the test can be written.

        Raises:
            CheckpointError: there is no checkpoint, or it is one of another release or tool.
            ProgramError: a file exists, and `force` is not set.
        """
        folder = folder_to_read(checkpoint)
        plan = plan_from_json(CheckpointReader(folder).program_in_force().plan, folder.shown)
        secrets = Secrets()
        secrets.collect(plan)
        file = Path(output or f"{folder.uri.rstrip('/').rpartition('/')[2]}{_SUFFIX}")
        recording = cls(checkpoint, plan, file, program, rows, secrets)
        for written in (file, *([] if program else [recording.plan_file])):
            if exists(written) and not force:
                raise ProgramError(
                    f"cannot overwrite {str(written)!r}",
                    where=quoted(written),
                    remedy="give --force to overwrite it, or another file with -o",
                )
        return recording

    @property
    def plan_file(self) -> Path:
        """The file of the copy of the plan."""
        return self.file.with_name(f"{self.file.name.removesuffix(_SUFFIX)}.test.json")

    def write(self, spark: Any) -> Iterator[str]:
        """Write the files of the test, and return remarks on their content.

        Args:
            spark: the session, see `own_session`.

        Raises:
            CompiledPlanError: a table cannot be read, or the program does not run on the sample; nothing is written.
        """
        engines = engines_of(spark)
        # Options of tables have no effect in a test.
        copy = jsontext.dumps(masked_json(jsontext.loads(self.plan.to_json()))) + "\n"
        with TemporaryDirectory(prefix="compiled-plan-record-") as folder:
            place = Path(folder) / self.plan_file.name
            place.write_text(copy, encoding="utf-8")
            program = self._named_program()
            plan = compiled(self.program, Session({}), _silent).plan if self.program else self.plan
            tables = PlanTables.of(plan)
            taken = [
                sample
                for sample in samples(spark, self.plan, self.rows, self.secrets)
                if table_id(sample.table) in {**tables.sources, **tables.lookups}
            ]
            yield from (_remark(sample) for sample in taken)
            if not any(sample.rows for sample in taken):
                raise ProgramError(
                    f"no rows for a test of {program}",
                    where=quoted(self.checkpoint),
                    remedy="write the rows of the test by hand, as docs/testing.md shows",
                )
            ends = any(has_event_time(node, plan) for node in plan.nodes)
            text = "".join(f"{line}\n" for line in self._lines(program, taken, tables, ends=ends))
            case = self._case(text, place)
            result = run_case(case, engines, collect=True)
            if result.failure is None:
                text = updated_text(case.document, result.expectations)
                result = run_case(self._case(text, place), engines)
            if result.failure is not None:
                raise ProgramError(
                    f"the program does not pass a test of the sample:\n{failure_text(result.failure)}",
                    where=quoted(self.checkpoint),
                    remedy="nothing was written; name a program that passes, or write the test by hand",
                )
        yield from result.notes
        if not self.program:
            write_text(str(self.plan_file), copy)
            yield f"{self.plan_file}: a copy of the plan"
        write_text(str(self.file), text)
        yield f"{self.file}: a test of the sample"

    def _named_program(self) -> str:
        """The program as the test names it."""
        if not self.program:
            return self.plan_file.name
        return self.program if is_remote(self.program) else os.path.relpath(self.program, self.file.parent)

    def _target(self, place: Path) -> str:
        if not self.program:
            return str(place)
        return self.program if is_remote(self.program) else str(Path(self.program).absolute())

    def _case(self, text: str, place: Path) -> Case:
        """A test of this file, whose plan is not beside it yet."""
        (case,) = cases_of(read_document(self.file, text))
        return replace(case, program=self._target(place))

    def _lines(self, program: str, taken: Sequence[Sample], tables: PlanTables, *, ends: bool) -> Iterator[str]:
        now = dt.datetime.now(dt.UTC).replace(microsecond=0, tzinfo=None)
        yield f"# A sample of the input of a run: at most {counted(self.rows, 'row')} of each table."
        yield f"program: {scalar(program)}"
        yield f"clock: {now}"
        yield "steps:"
        yield "  - rows:"
        read = {**tables.sources, **tables.lookups}
        for sample in taken:
            if sample.rows:
                yield f"      {scalar(short_name(table_id(sample.table), read))}:"
                yield from (f"        - {row}" for row in _rows(sample))
        expect = ["  - expect:", *(f"      {scalar(short_name(name, tables.sinks))}: []" for name in tables.sinks)]
        yield from expect
        if ends:
            yield from ("  - end:", *expect)


def _silent(_: str) -> None:
    """Say nothing: the test's own runs are silent, too."""


def _remark(sample: Sample) -> str:
    name = table_id(sample.table)
    return f"{name}: left out, {sample.refusal}" if sample.refusal else f"{name}: {counted(len(sample.rows), 'row')}"


def _rows(sample: Sample) -> Iterator[str]:
    """The rows as they are written; inserts without their kind, and without NULLs."""
    row_type, _ = read_columns(sample.table)
    for kind, row in zip(sample.kinds, sample.rows, strict=True):
        values = written_value(row, row_type)
        text = shown({name: value for name, value in values.items() if value is not None})
        yield text if KINDS[kind] == "+I" else f"{KINDS[kind]}: {text}"
