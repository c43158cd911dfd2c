"""Facts of a run that its plan does not hold, as far as they affect state."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import metadata

from compiled_plan.plans.inspection.lineage.table_identity import local_place
from compiled_plan.plans.rex import UserFunction


def _unknown(uid: str, function: UserFunction) -> str:
    return ""


@dataclass(frozen=True, slots=True)
class RunFacts:
    """Facts of a run beside its plan."""

    spark: str = ""  # version of Spark, "4.3.0"; empty if unknown
    #: Digest of the code of a Python function, by the uid of the operator that calls it; empty if unknown.
    code: Callable[[str, UserFunction], str] = _unknown
    #: Accumulator type of an aggregate function in Python, by uid as `code`.
    accumulator: Callable[[str, UserFunction], str] = _unknown
    place: Callable[[str], str] = local_place  # resolves a path to its full name
    is_run: bool = False  # True for a past or upcoming run; False for a plan file alone
    #: Size of the state of each operator by uid; operators of unknown size are absent.
    state_bytes: Mapping[str, int] = field(default_factory=dict)


#: Facts of a plan that has no run.
NO_RUN = RunFacts()


def run_to_come() -> RunFacts:
    """The facts of an upcoming run with the installed Spark; the code of functions is compared at its start."""
    try:
        return RunFacts(metadata.version("pyspark"))
    except metadata.PackageNotFoundError:
        return NO_RUN
