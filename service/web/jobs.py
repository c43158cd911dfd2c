"""Documents of jobs with progress."""

from __future__ import annotations

from typing import Generic, Literal, Self, TypeVar

from pydantic import BaseModel, Field

from compiled_plan.plans.text.secrets import hidden
from compiled_plan.service.access.problems import shown
from compiled_plan.service.common.progress import Progress
from compiled_plan.service.runs.jobs import Job

_Result = TypeVar("_Result")


class JobDocument(BaseModel, Generic[_Result]):
    """A job."""

    state: Literal["running", "done", "failed", "cancelled"]
    seconds: float = Field(description="duration until now or its end")
    done: int = Field(description="finished units of work")
    of: int = Field(description="all known units of work; 0 while it starts")
    result: _Result | None = Field(description="result of a finished job")
    message: str = Field(default="", description="error of a failed job")
    remedy: str = Field(default="", description="what to do")

    @classmethod
    def of_job(cls, job: Job) -> Self:
        """The document of a job."""
        done, total = job.tasks
        return cls.model_validate({**progress_of(job, job.secrets), "done": done, "of": total, "result": job.result})


def progress_of(job: Progress, secrets: frozenset[str] = frozenset()) -> dict[str, object]:
    """State, seconds, and the error of a job, without secrets."""
    texts = {} if job.fault is None else {name: getattr(job.fault, name) for name in ("message", "where", "remedy")}
    said = {name: shown(hidden(text, secrets)) for name, text in texts.items()}
    return {"state": job.state, "seconds": job.seconds, **said}
