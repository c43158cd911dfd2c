"""One answer to whether a plan runs: the check of `edit-plan`, the dry run and the start."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from compiled_plan.plans.errors import CompiledPlanError, UnsupportedError
from compiled_plan.plans.execution.explain import stages_of
from compiled_plan.plans.execution.operators.base import is_keyed, is_stateless
from compiled_plan.plans.execution.run import Run
from compiled_plan.plans.execution.session.options import RunOptions
from compiled_plan.plans.inspection.check import Report, report
from compiled_plan.plans.inspection.checked_plans import plan_from_json
from compiled_plan.plans.inspection.placement import calls_of, is_passed, needs_step
from compiled_plan.plans.nodes.sink import Sink
from compiled_plan.plans.plan import CompiledPlan
from tests.historical.cases import PACKED
from tests.support.plan_files import CONFORMANCE, FROM_FLINK, data_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.slow

HISTORICAL = tuple(sorted(PACKED.rglob("*.json")))
#: Connectors whose tables are on servers.
SERVED = ("kafka", "upsert-kafka", "jdbc")
PLAIN = "calc/select_star_and_alias"


@dataclass(frozen=True, slots=True)
class Candidate:
    """A readable plan of the tests.

    Args:
        path: its file.
        plan: the plan.
        refusal: the message of the dry run that refuses it, otherwise empty.
        features: its operators, functions and abilities.
    """

    path: Path
    plan: CompiledPlan
    refusal: str
    features: frozenset[object]

    @property
    def report(self) -> Report:
        return report(self.path.read_text(encoding="utf-8"))


def _candidates() -> Iterator[Candidate]:
    for path in (*CONFORMANCE, *FROM_FLINK, *HISTORICAL):
        text = path.read_text(encoding="utf-8")
        if '"nodes"' in text and '"edges"' in text:
            with suppress(CompiledPlanError):
                plan = plan_from_json(text)
                yield Candidate(path, plan, _refusal(plan), _features(plan))


def _refusal(plan: CompiledPlan) -> str:
    try:
        stages_of(plan)
    except UnsupportedError as fault:
        return fault.message
    return ""


def covering(candidates: Iterable[Candidate], covered: Iterable[object] = ()) -> Iterator[Candidate]:
    """Few of the plans, which together have all features that are not covered."""
    seen = set(covered)
    while candidates := [candidate for candidate in candidates if not candidate.features <= seen]:
        best = max(candidates, key=lambda candidate: len(candidate.features - seen))
        seen |= best.features
        yield best


@pytest.fixture(scope="module")
def candidates() -> list[Candidate]:
    return list(_candidates())


def compare(candidates: Sequence[Candidate]) -> None:
    """The dry run refuses a plan with the first error of the check."""
    differ = []
    for candidate in candidates:
        first = next((finding.message for finding in candidate.report.findings if finding.is_error), "")
        if candidate.refusal != first:
            differ.append((str(candidate.path), first, candidate.refusal))
    assert differ == []


@pytest.mark.wide
def test_the_dry_run_refuses_what_the_check_calls_an_error(candidates: list[Candidate]) -> None:
    refused = [candidate for candidate in candidates if candidate.refusal]
    assert len(refused) > 10
    compare([*refused, *covering(candidate for candidate in candidates if not candidate.refusal)])


@pytest.mark.deep
def test_the_dry_run_refuses_what_the_check_calls_an_error_in_all_plans(candidates: list[Candidate]) -> None:
    assert sum(not candidate.refusal for candidate in candidates) > 300
    compare(candidates)


@pytest.mark.wide
@pytest.mark.parametrize("conformance", [False, pytest.param(True, marks=pytest.mark.deep)])
def test_plans_that_pass_the_check_run(
    candidates: list[Candidate], spark: SparkSession, tmp_path: Path, conformance: bool
) -> None:
    """Spark analyses plans that together have all operators, functions and abilities.

    Args:
        conformance: include features of the conformance tests, which run their plans themselves.
    """
    runnable = [
        candidate
        for candidate in candidates
        if not (
            candidate.refusal or _on_servers(candidate.plan.to_dict()) or any(map(needs_step, candidate.plan.nodes))
        )
    ]
    features = frozenset[object]().union(*(candidate.features for candidate in runnable))
    assert len(features) > 140
    tested = [candidate.features for candidate in runnable if candidate.path in CONFORMANCE and not conformance]
    analysed = list(covering(runnable, frozenset[object]().union(*tested)))
    assert analysed
    refused = []
    for candidate in analysed:
        data = _located(candidate.plan.to_dict(), candidate.path, tmp_path)
        try:
            Run(spark, CompiledPlan.from_dict(data), RunOptions()).lower()
        except CompiledPlanError as fault:
            refused.append((str(candidate.path), str(fault)))
    assert refused == []


def _features(plan: CompiledPlan) -> frozenset[object]:
    names: set[object] = set()
    for node in plan.nodes:
        names |= {node.type, *((node.type, call.name) for call in calls_of(node))}
        for holder in (getattr(node, "scan_table_source", None), getattr(node, "dynamic_table_sink", None)):
            names |= {ability.type for ability in getattr(holder, "abilities", ())}
    return frozenset(names)


def _on_servers(data: Any) -> bool:
    return any(options.get("connector") in SERVED for options in _options(data))


def _located(data: Any, path: Path, folder: Path) -> Any:
    """The plan over existing files, and sinks in a folder of the test."""
    empty = folder / "empty"
    empty.mkdir(exist_ok=True)
    for options in _options(data):
        place = str(options.get("path", ""))
        if place.startswith("${data}") and path.parent.joinpath("data").is_dir():
            options["path"] = place.replace("${data}", str(path.parent / "data"))
        elif place:
            options["path"] = str(empty) if not place.startswith("${out}") else str(folder / path.stem)
    return data


def _options(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        if isinstance(value.get("options"), dict):
            yield value["options"]
        for item in value.values():
            yield from _options(item)
    elif isinstance(value, list):
        for item in value:
            yield from _options(item)


@pytest.mark.wide
def test_operators_that_rows_pass_are_those_without_state(candidates: list[Candidate]) -> None:
    """The placement rules know, without Spark, which operators are lowered into stages."""
    for candidate in candidates:
        for node in candidate.plan.nodes if not candidate.refusal else ():
            if node.INPUTS.least and not isinstance(node, Sink):
                assert is_passed(node) == (is_stateless(node) and not needs_step(node)), (candidate.path, node.type)
                assert is_keyed(node) or is_stateless(node)


def _ability(kind: str, ability: dict[str, Any]) -> Callable[[Any], None]:
    def change(data: Any) -> None:
        node = next(node for node in data["nodes"] if kind in node)
        node[kind].setdefault("abilities", []).append(ability)

    return change


def _serialized(data: Any) -> None:
    node = next(node for node in data["nodes"] if node["type"] == "stream-exec-calc_1")
    call = node["projection"][0]
    node["projection"][0] = {
        "kind": "CALL",
        "catalogName": "`default_catalog`.`default_database`.`shout`",
        "instance": "rO0ABQ==",
        "operands": [call],
        "type": call["type"],
    }


def _no_sink(data: Any) -> None:
    sinks = {node["id"] for node in data["nodes"] if "dynamicTableSink" in node}
    data["nodes"] = [node for node in data["nodes"] if node["id"] not in sinks]
    data["edges"] = [edge for edge in data["edges"] if edge["target"] not in sinks]


def _configured(key: str, value: str) -> Callable[[Any], None]:
    return lambda data: data["nodes"][-1].setdefault("configuration", {}).update({key: value})


@pytest.mark.parametrize(
    ("case", "change", "message"),
    [
        (PLAIN, _serialized, "the function 'shout' is a serialized Java object"),
        (
            PLAIN,
            _ability("dynamicTableSink", {"type": "Bucketing"}),
            "the sink ability Bucketing",
        ),
        (
            PLAIN,
            _ability("dynamicTableSink", {"type": "Overwrite", "overwrite": True}),
            "Overwrite",
        ),
        (
            PLAIN,
            _configured("table.exec.legacy-cast-behaviour", "ENABLED"),
            "legacy-cast-behaviour",
        ),
    ],
)
def test_a_refusal_is_an_error_of_the_check_and_leaves_the_plan_editable(
    case: str, change: Callable[[Any], None], message: str
) -> None:
    data = data_of(case)
    change(data)
    text = json.dumps(data)
    errors = [finding for finding in report(text).findings if finding.is_error]
    assert [finding.editable for finding in errors] == [True]
    assert message in errors[0].message
    assert errors[0].remedy
    with pytest.raises(UnsupportedError, match=message):
        stages_of(plan_from_json(text))


def test_a_plan_without_a_sink_is_refused() -> None:
    data = data_of(PLAIN)
    _no_sink(data)
    assert "the plan has no sink" in [finding.message for finding in report(json.dumps(data)).findings]
