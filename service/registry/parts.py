"""What a running service is made of: handed to all that answers requests or looks after runs."""

from __future__ import annotations

from dataclasses import dataclass

from compiled_plan.service.common.settings import Settings
from compiled_plan.service.store.database import Database
from compiled_plan.service.workers.pool import Workers


@dataclass(frozen=True)
class Parts:
    """The parts of a running service.

    Args:
        workers: compile programs, and look at plans.
    """

    settings: Settings
    database: Database
    workers: Workers
