"""Tasks of workers: functions with JSON arguments and results, which raise the product's errors.

The process of the service names a task, and a worker imports its module: `workers.run(stored.graph, plan=plan)`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple, Protocol

from compiled_plan.plans.errors import ProgramError, too_deep


class Named(Protocol):
    """A task, or its name."""

    __module__: str
    __name__: str


class TaskName(NamedTuple):
    """The name of a task.

    Args:
        module: its module in this package.
        function: its function.
    """

    module: str
    function: str

    @classmethod
    def of(cls, task: Named) -> TaskName:
        """The name of a task or stand-in."""
        return cls(task.__module__.rpartition(".")[2], task.__name__)

    @property
    def is_on_submitted(self) -> bool:
        """Return True for a task on submitted programs and plans, which is slower than one on stored plans."""
        return self.module == "submitted"

    def __str__(self) -> str:
        return self.function.rstrip("_")

    def run(self, arguments: Mapping[str, object]) -> object:
        """Run the task in this process."""
        try:
            return getattr(import_module(f"{__name__}.{self.module}"), self.function)(**arguments)
        except FileNotFoundError as fault:
            raise ProgramError("the file does not exist", where=str(fault.filename), remedy="check the path") from None
        except RecursionError:
            raise too_deep() from None
        except MemoryError:
            raise ProgramError("the task exceeds the memory limit", remedy="split the program") from None


if TYPE_CHECKING:
    from compiled_plan.service.workers.tasks import previews, runs, stored, submitted
else:

    @dataclass(frozen=True)
    class _Module:
        """A stand-in for a module of tasks; its attributes have the module and name of a task."""

        name: str

        def __getattr__(self, function: str) -> Named:
            return type("Task", (), {"__module__": self.name, "__name__": function})()

    previews, runs, stored, submitted = map(_Module, ("previews", "runs", "stored", "submitted"))

__all__ = ["TaskName", "previews", "runs", "stored", "submitted"]
