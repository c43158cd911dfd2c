"""The stages of a plan, from the layout that the run itself uses: the output of `--dry-run`, as text and JSON."""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from compiled_plan.plans.execution.realtime.query import in_real_time
from compiled_plan.plans.execution.session.options import NATIVE, RunOptions
from compiled_plan.plans.execution.session.triggers import Origin, trigger_of
from compiled_plan.plans.execution.stages.hosts import hosted
from compiled_plan.plans.execution.stages.native import native_differences
from compiled_plan.plans.execution.stages.prepared import PreparedPlan, prepare
from compiled_plan.plans.inspection.identity import with_uids
from compiled_plan.plans.inspection.references import secret_names
from compiled_plan.plans.nodes.base import PlanNode
from compiled_plan.plans.nodes.deduplicate import Deduplicate
from compiled_plan.plans.plan import CompiledPlan
from compiled_plan.plans.plan.session_options import UTC, with_zone, zones_of
from compiled_plan.plans.text.masking import masked_text

_DEFAULTS = RunOptions()


class _Part(BaseModel):
    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, frozen=True)


class Source(_Part):
    """A source table, or constant rows."""

    name: str = Field(description="name of the table; empty for constant rows")
    nodes: list[int] = Field(description="ids of its scans")
    stage: int | None = Field(description="number of the stage before which its rows enter; null for the sinks")


class Entry(_Part):
    """A state entry of an operator, with its TTL."""

    name: str
    ttl: str


class Operator(_Part):
    """An operator of a stage."""

    node: int
    uid: str = Field(description="empty for a node with Python functions or a join with a table")
    description: str
    state: list[Entry]
    by_watermark: bool = Field(description="true if its timers fire by watermark")
    differences: list[str] = Field(description="differences of Spark's own operator, on the host `native`")


class Stage(_Part):
    """The operators that run in one Spark operator."""

    operators: list[Operator]
    passing: list[int] = Field(description="ids of the nodes after it whose rows pass unchanged")


class SinkTable(_Part):
    """A table that the plan writes, and the node that does."""

    name: str
    node: int


class Stages(_Part):
    """The stages of a plan, with its sources and sinks."""

    version: int = 1
    time_zone: str = Field(description="the effective time zone, or all zones in the plan")
    time_zone_from: str = Field(description="`option`, `plan`, or empty if neither has one")
    plan_time_zone: str = Field(description="the time zone in the plan; empty if it has none")
    trigger: str = Field(description="the time between micro-batches of a continuous run, and its origin")
    trigger_ms: int | None = Field(description="the time in ms; null to start them back to back")
    trigger_from: Origin = Field(description="`option`, `freshness` of materialized tables, or empty")
    sources: list[Source]
    stages: list[Stage]
    sinks: list[SinkTable]
    secrets: list[str] = Field(description="names of the secrets to which options of tables refer")


def stages_of(plan: CompiledPlan, options: RunOptions = _DEFAULTS) -> Stages:
    """Sources, stages with their operators and TTLs, and sinks of a plan.

    Args:
        plan: the plan.
        options: the options of the run.

    Raises:
        UnsupportedError: the plan has something that does not run, or not on that host, or not in that mode.
    """
    time_zone, host = options.time_zone, options.host
    prepared = hosted(prepare(with_uids(with_zone(plan, time_zone))), host)
    if options.real_time_ms is not None:
        prepared = in_real_time(prepared, host)
    zones, trigger = " and ".join(zones_of(plan)), trigger_of(prepared.sinks, options)
    sources = [
        Source(
            name=str(table.table.identifier), nodes=[scan.id for scan in table.scans], stage=_entry(prepared, source)
        )
        for source, table in sorted(prepared.tables.items())
    ]
    sources += [Source(name="", nodes=[node], stage=_entry(prepared, node)) for node in sorted(prepared.values)]
    return Stages(
        time_zone=time_zone or zones or UTC,
        time_zone_from="option" if time_zone is not None else "plan" if zones else "",
        plan_time_zone=zones,
        trigger=trigger.words,
        trigger_ms=trigger.interval_ms,
        trigger_from=trigger.origin,
        sources=sources,
        stages=[
            Stage(
                operators=[_operator(prepared, prepared.plan.node(id_), host) for id_ in stage],
                passing=[port.node for port in prepared.layout.passing(level)],
            )
            for level, stage in enumerate(prepared.layout.stages, start=1)
        ],
        sinks=[SinkTable(name=".".join(sink.dynamic_table_sink.table.path), node=sink.id) for sink in prepared.sinks],
        secrets=list(secret_names(plan)),
    )


def _operator(prepared: PreparedPlan, node: PlanNode, host: str) -> Operator:
    by_spark = host == NATIVE and isinstance(node, Deduplicate)
    return Operator(
        node=node.id,
        uid=node.uid or "",
        description=masked_text(node.description),
        state=[Entry(name=entry.name, ttl=entry.ttl) for entry in node.ttl_entries],
        by_watermark=node.id in prepared.layout.event_time,
        differences=list(native_differences(node)) if by_spark and isinstance(node, Deduplicate) else [],
    )


def _entry(prepared: PreparedPlan, source: int) -> int | None:
    level = prepared.layout.entries[source]
    return level if level < prepared.layout.last else None


def stages_text(stages: Stages) -> str:
    return "\n".join(_lines(stages))


def _lines(stages: Stages) -> Iterator[str]:
    yield _zone_text(stages)
    if stages.trigger:
        yield f"micro-batches of a continuous run every {stages.trigger}"
    yield "sources"
    for source in stages.sources:
        nodes = ", ".join(map(str, source.nodes))
        origin = f"{source.name} (node {nodes})" if source.name else f"values (node {nodes})"
        yield f"  {origin}, joins before {f'stage {source.stage}' if source.stage else 'the sinks'}"
    for level, stage in enumerate(stages.stages, start=1):
        yield f"stage {level}"
        for operator in stage.operators:
            yield from _operator_lines(operator)
        yield from (f"  rows for node {node} pass" for node in stage.passing)
    yield "sinks"
    yield from (f"  {sink.name} (node {sink.node})" for sink in stages.sinks)
    if stages.secrets:
        yield f"secrets: {', '.join(stages.secrets)}"


def _operator_lines(operator: Operator) -> Iterator[str]:
    yield f"  {operator.uid or 'step'} (node {operator.node}): {operator.description}"
    if operator.state:
        yield f"    state: {', '.join(f'{entry.name} = {entry.ttl}' for entry in operator.state)}"
    if operator.by_watermark:
        yield "    timers fire by watermark"
    if operator.differences:
        yield "    runs in Spark's dropDuplicatesWithinWatermark, whose rows may differ from the plan's:"
        yield from (f"      {difference}" for difference in operator.differences)


def _zone_text(stages: Stages) -> str:
    """The effective time zone and its origin."""
    if stages.time_zone_from == "option":
        text = f"time zone {stages.time_zone}, from --time-zone"
        return text + (f"; the plan says {stages.plan_time_zone}" if stages.plan_time_zone else "")
    return f"time zone {stages.time_zone}" + (", from the plan" if stages.time_zone_from else "; the plan says none")
