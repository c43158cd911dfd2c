"""Secrets of a plan in every channel that shows one: no channel masks by itself, and none is forgotten."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import asdict
from functools import cache
from pathlib import Path

import pytest

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.errors import ExecutionError
from compiled_plan.plans.execution.batches.progress import source_name
from compiled_plan.plans.inspection.at_start import checked_at_start
from compiled_plan.plans.inspection.check import report
from compiled_plan.plans.inspection.diff.advice import advice
from compiled_plan.plans.inspection.diff.build import diff_plans
from compiled_plan.plans.inspection.diff.document import Side, document
from compiled_plan.plans.inspection.diff.markdown import diff_markdown
from compiled_plan.plans.inspection.entries import state_lines
from compiled_plan.plans.inspection.explain import explain
from compiled_plan.plans.inspection.graph.document import graph_of
from compiled_plan.plans.inspection.graph.dot import to_dot
from compiled_plan.plans.inspection.graph.drawing import Drawing
from compiled_plan.plans.inspection.graph.mermaid import to_mermaid
from compiled_plan.plans.inspection.graph.svg import to_svg
from compiled_plan.plans.plan import CompiledPlan
from compiled_plan.plans.telemetry.listeners import failed_message
from compiled_plan.plans.telemetry.openlineage import Lineage
from compiled_plan.plans.text.masking import masked_json
from compiled_plan.service.access.problems import refused
from tests.plans.text.spellings import OPTIONS, SPELLINGS, URLS, leaks

pytestmark = pytest.mark.attack


@cache
def plan(more: str = "") -> CompiledPlan:
    """A plan that reads and writes tables with every option of the corpus, and a URL in every place for one."""
    options = ", ".join(f"'o{at}.{key}' = '{_literal(value)}{more}'" for at, (key, value) in enumerate(OPTIONS))
    hints = ", ".join(f"'h{at}.{key}' = '{_literal(value)}'" for at, (key, value) in enumerate(OPTIONS))
    tables = "".join(
        f"CREATE TABLE d{at} (a INT, n BIGINT, PRIMARY KEY (a) NOT ENFORCED) WITH ('connector' = 'jdbc',"
        f" 'table-name' = 't', 'url' = '{_literal(url)}{more}');"
        f"CREATE TABLE f{at} (a INT, n BIGINT) WITH ('connector' = 'filesystem', 'path' = '{_literal(url)}{more}',"
        " 'format' = 'json');"
        for at, url in enumerate(URLS[:6])
    )
    inserts = "".join(f"INSERT INTO d{at} SELECT a, COUNT(*) FROM s GROUP BY a;" for at in range(6))
    inserts += "".join(f"INSERT INTO f{at} SELECT a, n FROM d{at};" for at in range(6))
    script = f"""SET 'table.dynamic-table-options.enabled' = 'true';
    CREATE TABLE s (a INT) WITH ('connector' = 'spark', 'provider' = 'x', {options});
    CREATE TABLE p (a INT) WITH ('connector' = 'spark', 'provider' = 'x', {options});{tables}
    BEGIN STATEMENT SET; INSERT INTO p SELECT a FROM s /*+ OPTIONS({hints}) */;{inserts} END;"""
    return CompiledPlan.from_json(TableEnvironment().compile_script(script).to_json())


def _literal(text: str) -> str:
    return text.replace("'", "''")


def _difference() -> str:
    diff = diff_plans(plan(), plan("x"))
    sides = Side(name="old", kind="plan"), Side(name="new", kind="plan")
    return document(diff, *sides, advice(diff, "new")).model_dump_json()


def _lineage(path: Path) -> Iterator[str]:
    lineage = Lineage(str(path), plan(), "shop", pytest.fail)
    fault = ExecutionError(" ".join(SPELLINGS["text"][:1]), where=SPELLINGS["text"][4], remedy=SPELLINGS["text"][5])
    at = {"at": "2026-01-01T00:00:00.000Z", "bounded": False}
    for message in ({"event": "start", **at}, {**failed_message(fault), **at}):
        lineage.tell(message)
    lineage.close()
    yield path.read_text()


_CHANNELS: dict[str, Callable[[], str]] = {
    "plan": lambda: json.dumps(masked_json(json.loads(plan().to_json()))),
    "graph": lambda: graph_of(plan()).model_dump_json(),
    "drawing": lambda: "".join(render(Drawing.of(plan())) for render in (to_mermaid, to_dot, to_svg)),
    "diff": _difference,
    "markdown": lambda: diff_markdown(diff_plans(plan(), plan("x")), *URLS[:2], advice(diff_plans(plan(), plan("x")))),
    "check": lambda: json.dumps([asdict(fact) for fact in checked_at_start(plan())]),
    "state": lambda: json.dumps([line.to_dict() for line in state_lines(plan())]),
    "report": lambda: json.dumps(report(plan().to_json()).to_dict("")),
    "explanation": lambda: explain(plan()),
    "sources": lambda: json.dumps([source_name(f"JdbcTable[{url}]") for url in URLS]),
    "failures": lambda: json.dumps([failed_message(ExecutionError(t, where=t, remedy=t)) for t in SPELLINGS["text"]]),
    "problems": lambda: json.dumps([refused(ExecutionError(t)).details.model_dump() for t in SPELLINGS["text"]]),
    "problems of programs": lambda: json.dumps(
        [refused(ExecutionError(text)).details.model_dump() for text in SPELLINGS["sql"]]
    ),
}


def test_the_plan_has_the_secrets() -> None:
    assert plan().to_json().count("5ecret") > 3 * len(OPTIONS)


@pytest.mark.parametrize("channel", _CHANNELS)
def test_no_channel_shows_a_secret(channel: str) -> None:
    shown = _CHANNELS[channel]()
    assert len(shown) > 100
    assert not leaks(shown), shown[max(0, shown.find("5ecret") - 200) : shown.find("5ecret") + 50]


def test_lineage_shows_no_secret(tmp_path: Path) -> None:
    (shown,) = _lineage(tmp_path / "events")
    assert not leaks(shown), shown[max(0, shown.find("5ecret") - 200) : shown.find("5ecret") + 50]
