"""Checkpoints as a start writes them, without Spark."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.execution.session.options import TRANSFORM, RunOptions
from compiled_plan.plans.execution.spark.storage import LocalFolder
from compiled_plan.plans.execution.stages.hosts import hosted
from compiled_plan.plans.execution.stages.prepared import PreparedPlan, prepare
from compiled_plan.plans.execution.state.checkpoint.description import Setting, describe
from compiled_plan.plans.execution.state.checkpoint.sources import names_of
from compiled_plan.plans.execution.state.checkpoint.store import Store
from compiled_plan.plans.execution.state.upgrade.decision import Decision, UpgradeRequest, decide
from compiled_plan.plans.execution.state.upgrade.history import FileTimes
from compiled_plan.plans.inspection.checkpoints import ProgramFiles
from compiled_plan.plans.inspection.identity import with_uids
from compiled_plan.plans.plan import CompiledPlan
from compiled_plan.plans.plan.session_options import UTC, with_zone

TABLES = "".join(
    f"CREATE TABLE {name} ({columns}) "
    f"WITH ('connector' = 'filesystem', 'path' = '/data/{name}', 'format' = '{format}');\n"
    for name, columns, format in (
        ("orders", "shop STRING, price INT, pieces INT", "json"),
        ("shops", "shop STRING, rent INT", "json"),
        ("visits", "shop STRING, at1 TIMESTAMP(3), WATERMARK FOR at1 AS at1", "json"),
        ("totals", "k STRING, n BIGINT", "debezium-json"),
        ("more", "k STRING, n BIGINT", "debezium-json"),
        ("wide", "k STRING, n BIGINT, m BIGINT", "debezium-json"),
    )
)


@cache
def compiled(*statements: str) -> CompiledPlan:
    text = statements[0] if len(statements) == 1 else f"EXECUTE STATEMENT SET BEGIN {'; '.join(statements)}; END"
    return TableEnvironment().compile_script(f"{TABLES}{text};")


def with_ttl(plan: CompiledPlan, ttl: str) -> CompiledPlan:
    """The plan with this TTL everywhere."""
    data = json.loads(with_uids(plan).to_json())
    for node in data["nodes"]:
        for entry in node.get("state", ()):
            entry["ttl"] = ttl
    return CompiledPlan.from_dict(data)


def program_of(plan: CompiledPlan, host: str = TRANSFORM) -> PreparedPlan:
    return hosted(prepare(with_uids(with_zone(plan, None, otherwise=UTC))), host)


def started(
    root: Path, plan: CompiledPlan, setting: Setting | None = None, batches: int = 1, begun: bool = False
) -> Store:
    """A checkpoint on which a plan has run so many micro-batches, and has begun one more."""
    setting = setting or Setting(TRANSFORM, 2)
    prepared = program_of(plan, setting.host)
    store = Store(LocalFolder(root), "1.0")
    generation = store.new_generation(setting.versions, "run")
    names = names_of(prepared, setting)
    description = describe(prepared, setting) | {"sources": names.active, "gone": names.gone, "positions": {}}
    number = store.new_program(generation, ProgramFiles(prepared.plan.to_json(), json.dumps(description)))
    store.publish(generation.number, number, "start")
    for batch in range(batches + begun):
        about = {"batchWatermarkMs": 0, "batchTimestampMs": 0, "conf": {}}
        lines = ["v2", json.dumps(about), *(f'{name}:{{"logOffset":{batch}}}' for name in sorted(names.all()))]
        generation.folder.write_text(f"offsets/{batch}", "\n".join(lines))
        for name in names.all():
            read = {"path": f"file:///data/{name}/{batch}.json", "timestamp": 1000, "batchId": batch}
            generation.folder.write_text(f"sources/{name}/{batch}", f"v1\n{json.dumps(read)}")
        if batch < batches:
            generation.folder.write_text(f"commits/{batch}", 'v2\n{"nextBatchWatermarkMs":0}')
    return store


class Times(FileTimes):
    """Modification times of files: 1,000 ms by default.

    Args:
        others: other times by path; None for a removed file.
    """

    def __init__(self, others: Mapping[str, int | None] | None = None) -> None:
        self.others = others or {}

    def of(self, paths: Sequence[str]) -> Mapping[str, int]:
        """See `FileTimes.of`."""
        times = {path: self.others.get(path, 1000) for path in paths}
        return {path: time for path, time in times.items() if time is not None}

    def below(self, root: str) -> Mapping[str, int]:
        """See `FileTimes.below`."""
        return {path: time for path, time in self.others.items() if time is not None and path.startswith(root)}


def decided(
    store: Store, plan: CompiledPlan, setting: Setting | None = None, times: Times | None = None, **options: object
) -> Decision:
    setting = setting or Setting(TRANSFORM, 2)
    chosen = RunOptions(checkpoint="c", **options)  # type: ignore[arg-type]
    request = UpgradeRequest(program_of(plan, setting.host), setting, chosen, times=times or Times())
    decision = decide(store, request)
    assert decision is not None
    return decision
