"""Fingerprints of plans compiled here that differ from Flink's plans of the same programs.

`compiled.json` has a SHA-256 by case. The default suite runs Flink's plan of each case, and the compiled plan only if
it differs and its fingerprint is not recorded. `make test-wide` runs the recorded ones, so that they are known to have
Flink's results. After a change of the planner: `python -m tests.conformance.compiled`.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.plan import CompiledPlan
from compiled_plan.plans.plan.session_options import UTC, with_zone
from tests.conformance.cases import CATEGORIES, Case, cases, shape

RECORDED = Path(__file__).with_name("compiled.json")
#: The text of a computed column's expression; the expression itself runs.
_TEXT = "serializableString"


def compiled(case: Case, out: Path) -> CompiledPlan:
    return TableEnvironment().compile_script(case.program(out))


def same_execution(left: CompiledPlan, right: CompiledPlan) -> bool:
    """Return True if two plans are equal in all that a run in UTC without a checkpoint reads."""
    return _executed(left) == _executed(right)


def fingerprint(case: Case, plan: CompiledPlan, out: Path) -> str:
    """A digest of a case's plan that is the same in all folders and on all machines."""
    text = json.dumps(_executed(plan)).replace(str(case.folder / "data"), "${data}").replace(str(out), "${out}")
    return hashlib.sha256(text.encode()).hexdigest()


def recorded() -> dict[str, str]:
    """The recorded fingerprints by case."""
    document: dict[str, str] = json.loads(RECORDED.read_text(encoding="utf-8"))
    return document


def current() -> dict[str, str]:
    """The fingerprints of this planner's plans."""
    out, fingerprints = Path("/out"), {}
    for case in (case for case in cases(*CATEGORIES) if not case.refused_at):
        plan, flink_plan = compiled(case, out), CompiledPlan.from_json(case.flink_plan(out))
        if not same_execution(plan, flink_plan):
            fingerprints[case.name] = fingerprint(case, plan, out)
    return fingerprints


def _executed(plan: CompiledPlan) -> object:
    return shape(json.loads(with_zone(plan, otherwise=UTC).to_json()), _TEXT)


if __name__ == "__main__":
    RECORDED.write_text(json.dumps(current(), indent=1) + "\n", encoding="utf-8")
