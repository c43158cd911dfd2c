"""Jobs of a session: the runs that its statements started, for SHOW JOBS, DESCRIBE JOB and STOP JOB.

Source: Flink's pages "SHOW", "DESCRIBE" and "JOB" statements; `pipeline.name`, and Flink's names of jobs without it.
"""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from compiled_plan.plans.errors import CompiledPlanError, ExecutionError, ProgramError
from compiled_plan.plans.nodes.sink import Sink
from compiled_plan.plans.types import STRING, TimestampType, row_of
from compiled_plan.results.kinds import JobStatus
from compiled_plan.results.ready import ReadyResult

if TYPE_CHECKING:
    from compiled_plan.planner.sql.context import PlanningContext
    from compiled_plan.plans.plan import CompiledPlan
    from compiled_plan.results.job import Job

#: Flink's option for the name of a job.
NAME = "pipeline.name"
#: Maximum number of ended jobs that a session lists.
_MOST_ENDED = 100


class SessionJob:
    """A run of a session. It refers weakly to the run, whose data is freed as without the list of jobs.

    Args:
        job: the run.
        name: the job's name.
        collects: True if the run is of a query, whose result returns the rows.
    """

    def __init__(self, job: Job, name: str, *, collects: bool = False) -> None:
        self.id, self.name, self.start = job.id, name, datetime.now()
        self.collects = collects
        self.status = JobStatus.RUNNING
        self.fault: CompiledPlanError | None = None
        self._job = weakref.ref(job)
        job.on_end(self._ended)

    def _ended(self, status: JobStatus, fault: BaseException | None) -> None:
        self.status = status
        if fault is not None and status is JobStatus.FAILED:
            # The original refers to the run by its traceback.
            self.fault = (
                ExecutionError(fault.message, where=fault.where, remedy=fault.remedy)
                if isinstance(fault, CompiledPlanError)
                else ExecutionError(f"{type(fault).__name__}: {fault}")
            )

    @property
    def running(self) -> bool:
        """True until the end of the run."""
        return self.status is JobStatus.RUNNING

    def stop(self) -> None:
        """Cancel the run and wait for its end; no effect after it."""
        job = self._job()
        if job is not None:
            job.stop()

    def wait(self) -> None:
        """Wait for the end of the run; a failure is in `fault`."""
        job = self._job()
        if job is not None:
            try:
                job.wait(None)
            except CompiledPlanError:
                return


def register(context: PlanningContext, plan: CompiledPlan, job: Job) -> None:
    """Add a run to the jobs of a session."""
    tables = [node.dynamic_table_sink.table for node in plan.sinks if isinstance(node, Sink)]
    collects = any((table.options or {}).get("connector") == "collect" for table in tables)
    name = "collect" if collects else ",".join(f"insert-into_{'.'.join(table.path)}" for table in tables)
    context.jobs.append(SessionJob(job, context.config.get(NAME) or name, collects=collects))
    ended = [item for item in context.jobs if not item.running]
    for item in ended[: max(0, len(ended) - _MOST_ENDED)]:
        context.jobs.remove(item)


def job_of(context: PlanningContext, text: str) -> SessionJob:
    """The job of an id, or of an unambiguous beginning of one.

    Raises:
        ProgramError: there is no such job, or there are several.
    """
    jobs: Sequence[SessionJob] = [job for job in context.jobs if text and job.id.startswith(text)]
    if len(jobs) != 1:
        several = "several jobs of this session begin with" if jobs else "this session has no job"
        raise ProgramError(f"{several} {text!r}", remedy="SHOW JOBS lists their ids")
    return jobs[0]


def described(jobs: Sequence[SessionJob]) -> ReadyResult:
    """The result of SHOW JOBS and DESCRIBE JOB."""
    names = ("job id", "job name", "status", "start time")
    rows = [(job.id, job.name, job.status.name, job.start) for job in jobs]
    return ReadyResult(row_of(names, [STRING, STRING, STRING, TimestampType(precision=3)]), rows)
