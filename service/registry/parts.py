"""The shared parts of a running service."""

from __future__ import annotations

from dataclasses import dataclass

from compiled_plan.service.common.settings import Settings
from compiled_plan.service.store.database import Database
from compiled_plan.service.store.secrets import Vault
from compiled_plan.service.workers.pool import Workers


@dataclass(frozen=True)
class Parts:
    """The shared parts of a running service.

    Args:
        settings: its settings.
        database: its database.
        workers: processes that compile programs and read plans.
    """

    settings: Settings
    database: Database
    workers: Workers

    @property
    def vault(self) -> Vault:
        return Vault(self.settings.secrets_file)
