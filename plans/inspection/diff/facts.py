"""Facts of a run that its plan does not hold, as far as they shape state."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import metadata

from compiled_plan.plans.inspection.lineage.table_identity import local_place
from compiled_plan.plans.rex import PythonFunction


def _unknown(uid: str, function: PythonFunction) -> str:
    return ""


@dataclass(frozen=True, slots=True)
class RunFacts:
    """Facts of a run beside its plan."""

    spark: str = ""  # version of Spark, "4.3.0"; empty where it is not known
    #: Digest of the code of a Python function, by the uid of the operator that calls it; empty where it is not known.
    code: Callable[[str, PythonFunction], str] = _unknown
    #: Type of the accumulator of an aggregate function in Python, as `code`.
    accumulator: Callable[[str, PythonFunction], str] = _unknown
    place: Callable[[str], str] = local_place  # the full name of a path
    is_run: bool = False  # whether these are facts of a run, past or about to start; a plan file by itself has none


#: Of a plan that nobody has run.
NO_RUN = RunFacts()


def run_to_come() -> RunFacts:
    """The facts of a run with the Spark that is installed here; the code of functions is compared at its start."""
    try:
        return RunFacts(metadata.version("pyspark"))
    except metadata.PackageNotFoundError:
        return NO_RUN


def release(version: str) -> tuple[int, ...]:
    """A version of Spark as far as it counts: major and minor."""
    return tuple(int(part) for part in version.split(".")[:2] if part.isdecimal())
