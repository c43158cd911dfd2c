"""The stages of a plan as text: what `--dry-run` prints, from the layout that the run itself uses."""

from __future__ import annotations

from compiled_plan.plans.execution.hosts import hosted, native_differences
from compiled_plan.plans.execution.options import NATIVE, TRANSFORM
from compiled_plan.plans.execution.program import Program, prepare
from compiled_plan.plans.inspection.identity import with_uids
from compiled_plan.plans.nodes.deduplicate import Deduplicate
from compiled_plan.plans.plan import CompiledPlan
from compiled_plan.plans.plan.session_options import UTC, with_zone, zones_of


def stages_text(plan: CompiledPlan, time_zone: str | None = None, host: str = TRANSFORM) -> str:
    """Sources, stages with their operators and TTLs, and sinks of a plan.

    Args:
        plan: the plan.
        time_zone: overrides the plan's, as for the run.
        host: the Spark operator that hosts the stages.

    Raises:
        UnsupportedError: the plan has something that does not run, or not on that host.
    """
    program = hosted(prepare(with_uids(with_zone(plan, time_zone))), host)
    lines = [_zone_text(plan, time_zone), "sources"]
    for source, table in sorted(program.tables.items()):
        scans = ", ".join(str(scan.id) for scan in table.scans)
        lines.append(f"  {table.table.identifier} (node {scans}), joins before stage {_entry(program, source)}")
    lines += [f"  values (node {node}), joins before stage {_entry(program, node)}" for node in sorted(program.values)]
    for level, stage in enumerate(program.layout.stages, start=1):
        lines.append(f"stage {level}")
        for node_id in stage:
            node = program.plan.node(node_id)
            ttls = ", ".join(f"{entry.name} = {entry.ttl}" for entry in node.ttl_entries)
            lines.append(f"  {node.uid or 'Python functions'} (node {node_id}): {node.description}")
            if ttls:
                lines.append(f"    state: {ttls}")
            if node_id in program.layout.event_time:
                lines.append("    timers fire by watermark")
            if host == NATIVE and isinstance(node, Deduplicate):
                lines.append(
                    "    runs in Spark's dropDuplicatesWithinWatermark, whose rows may differ from the plan's:"
                )
                lines += [f"      {difference}" for difference in native_differences(node)]
        for port in program.layout.passing(level):
            lines.append(f"  rows for node {port.node} pass")
    lines.append("sinks")
    for sink in program.sinks:
        name = ".".join(sink.dynamic_table_sink.table.path)
        lines.append(f"  {name} (node {sink.id})")
    return "\n".join(lines)


def _zone_text(plan: CompiledPlan, option: str | None) -> str:
    """Which time zone holds, and where it is from."""
    said = " and ".join(zones_of(plan))
    if option is not None:
        return f"time zone {option}, from --time-zone" + (f"; the plan says {said}" if said else "")
    return f"time zone {said}, from the plan" if said else f"time zone {UTC}; the plan says none"


def _entry(program: Program, source: int) -> str:
    level = program.layout.entries[source]
    return str(level) if level < program.layout.last else "the sinks"
