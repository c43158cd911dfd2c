"""The Spark session of a command: its own, or one that its process keeps across commands."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from typing import TYPE_CHECKING

from compiled_plan.plans.execution.session import spark_session as sessions
from compiled_plan.plans.execution.session.lakes import missing_lakes

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


#: The environment variable with the id of the process with which a warm process of its commands ends.
OWNER = "COMPILED_PLAN_OWNER"


class Keeper:
    """Keeps the session of the first command for later ones."""

    def __init__(self) -> None:
        self._closing = ExitStack()
        self._session: SparkSession | None = None

    @contextmanager
    def session(
        self, master: str, settings: Mapping[str, str], *, verbose: bool, meanwhile: Callable[[], object] | None
    ) -> Iterator[SparkSession]:
        """The session; commands of a process have the same master and settings but for formats of their tables."""
        if self._session is not None and missing_lakes(self._session, settings):
            self._closing.close()
            self._session = None
        if self._session is None:
            self._session = self._closing.enter_context(
                sessions.spark_session(master, settings, verbose=verbose, outlives=True, meanwhile=meanwhile)
            )
        yield self._session

    @property
    def is_fit(self) -> bool:
        """Return True if there is a session whose JVM answers."""
        if self._session is None:
            return False
        with suppress(Exception):
            return not self._session.sparkContext._jsc.sc().isStopped()
        return False

    def close(self) -> None:
        self._closing.close()


_KEEPERS: list[Keeper] = []


@contextmanager
def kept_session() -> Iterator[Keeper]:
    """Make the commands of this process share a session until the end of this context."""
    keeper = Keeper()
    _KEEPERS.append(keeper)
    try:
        yield keeper
    finally:
        _KEEPERS.remove(keeper)
        keeper.close()


def keeps_session() -> bool:
    """Return True if this process keeps its session."""
    return bool(_KEEPERS)


def session_of_command(
    master: str, settings: Mapping[str, str], *, verbose: bool, meanwhile: Callable[[], object] | None
) -> AbstractContextManager[SparkSession]:
    """The session for a command; see `spark_session`."""
    start = _KEEPERS[-1].session if _KEEPERS else sessions.spark_session
    return start(master, settings, verbose=verbose, meanwhile=meanwhile)
