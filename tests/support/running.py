"""Runs in the background of a test."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from compiled_plan.plans.execution.run import Run
from tests.support.waiting import SECONDS_TO_WAIT


class Running:
    """Run a plan in a thread while a block runs; an error of the run is raised at the block's end."""

    def __init__(self, run: Run) -> None:
        self.run, self.threads = run, ThreadPoolExecutor(1)

    def __enter__(self) -> Run:
        self.future = self.threads.submit(self.run.execute)
        return self.run

    def __exit__(self, *_: object) -> None:
        self.run.stop()
        self.future.result(SECONDS_TO_WAIT)
        self.threads.shutdown()
