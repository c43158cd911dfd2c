"""Details of EXPLAIN: changelogs, advice, cost and the JSON of operators.

Source: Flink's page "EXPLAIN Statements", and the output of Flink 2.3. Its advice is about two-phase aggregation, which
has no effect here; ours is that of `lint`, and on state without TTL and on keys that differ.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field

from compiled_plan.plans.errors import ProgramError
from compiled_plan.plans.inspection.changes import possibly_sent
from compiled_plan.plans.inspection.lint import lint
from compiled_plan.plans.nodes.base import PlanNode
from compiled_plan.plans.nodes.scan import TableSourceScan
from compiled_plan.plans.nodes.sink import Sink
from compiled_plan.plans.plan import CompiledPlan
from compiled_plan.plans.text.masking import masked_text

CHANGELOG_MODE, PLAN_ADVICE = "CHANGELOG_MODE", "PLAN_ADVICE"
ESTIMATED_COST, JSON_EXECUTION_PLAN = "ESTIMATED_COST", "JSON_EXECUTION_PLAN"
DETAILS = (ESTIMATED_COST, CHANGELOG_MODE, JSON_EXECUTION_PLAN, PLAN_ADVICE)
_KINDS = {"INSERT": "I", "UPDATE_BEFORE": "UB", "UPDATE_AFTER": "UA", "DELETE": "D"}


@dataclass(frozen=True, slots=True)
class Advice:
    """An advice about an operator."""

    node: int
    text: str


@dataclass(frozen=True, slots=True)
class Notes:
    """Additions to the tree: attributes inside the operators' parentheses, costs behind them, and lines below."""

    attributes: Mapping[int, str] = field(default_factory=dict)
    costs: Mapping[int, str] = field(default_factory=dict)
    below: tuple[str, ...] = ()

    def on(self, node: int, description: str) -> str:
        """The description of an operator with its additions."""
        attribute, cost = self.attributes.get(node), self.costs.get(node, "")
        if attribute and description.endswith(")"):
            separator = "" if description.endswith("()") else ", "
            description = f"{description[:-1]}{separator}{attribute})"
        elif attribute:
            description = f"{description}({attribute})"
        return description + cost


def notes_on(plan: CompiledPlan, details: Collection[str]) -> Notes:
    """The additions of details.

    Raises:
        ProgramError: a detail is unknown.
    """
    unknown = next((detail for detail in details if detail not in DETAILS), None)
    if unknown is not None:
        raise ProgramError(f"unknown detail {unknown!r}", where="explain", remedy=f"name some of {', '.join(DETAILS)}")
    attributes: dict[int, list[str]] = {node.id: [] for node in plan.nodes}
    below: list[str] = []
    if CHANGELOG_MODE in details:
        for node, text in _changelogs(plan):
            attributes[node].append(text)
    if PLAN_ADVICE in details:
        numbers: dict[int, list[str]] = {}
        for number, advice in enumerate(advices(plan), 1):
            numbers.setdefault(advice.node, []).append(str(number))
            below.append(f"advice[{number}]: {advice.text}")
        for node, its in numbers.items():
            attributes[node].append(f"advice=[{', '.join(its)}]")
        below = ["", *below] if below else ["", "No available advice..."]
    if JSON_EXECUTION_PLAN in details:
        below += ["", "== Physical Execution Plan ==", json.dumps({"nodes": list(_operators(plan))}, indent=2)]
    shown = {node: ", ".join(texts) for node, texts in attributes.items() if texts}
    return Notes(shown, _costs(plan) if ESTIMATED_COST in details else {}, tuple(below))


def _changelogs(plan: CompiledPlan) -> Iterator[tuple[int, str]]:
    modes = possibly_sent(plan)
    for node in plan.nodes:
        kinds = "NONE" if isinstance(node, Sink) else ",".join(_KINDS[name] for name in modes[node.id].names())
        yield node.id, f"changelogMode=[{kinds}]"


def advices(plan: CompiledPlan) -> Iterator[Advice]:
    """The advice about a plan, by operator."""
    for node in plan.nodes:
        never = [entry.name for entry in node.state_entries if entry.ttl_ms == 0]
        if never:
            yield Advice(
                node.id,
                f"[ADVICE] {', '.join(never)} never expires; set 'table.exec.state.ttl', a STATE_TTL hint, or the "
                "TTL in the plan, if old rows may be forgotten.",
            )
        if isinstance(node, Sink) and node.require_upsert_materialize:
            yield Advice(node.id, _differing_keys(plan, node))
    for finding in lint(plan):
        node_id = plan.nodes[int(finding.pointer.split("/")[2])].id
        yield Advice(node_id, f"[WARNING] {masked_text(finding.message)}; {finding.remedy}.")


def _differing_keys(plan: CompiledPlan, sink: Sink) -> str:
    table = sink.dynamic_table_sink.table.resolved_table
    primary = table.table_schema.primary_key if table is not None else None
    (source,) = plan.inputs(sink)
    upsert = ", ".join(source.output_type.names[at] for at in sink.input_upsert_key)
    return (
        f"[WARNING] the primary key of the sink ({', '.join(primary.columns) if primary else ''}) is not the key of "
        f"the query's updates ({upsert or 'none'}), so that the sink keeps all rows of each key; group or join by the "
        "primary key, or write ON CONFLICT."
    )


def _costs(plan: CompiledPlan) -> dict[int, str]:
    """The exchanges and state entries at and upstream of each operator: there are no statistics of tables."""
    costs = {}
    for node in plan.in_order:
        upstream = _upstream(plan, node)
        shuffles = sum(one.kind == "exchange" for one in upstream)
        entries = [entry for one in upstream for entry in one.state_entries]
        never = sum(entry.ttl_ms == 0 for entry in entries)
        costs[node.id] = (
            f": cumulative cost = {{{shuffles} shuffles, {len(entries)} state entries, {never} of them without TTL}}"
        )
    return costs


def _upstream(plan: CompiledPlan, start: PlanNode) -> list[PlanNode]:
    seen: dict[int, PlanNode] = {}
    todo = [start]
    while todo:
        node = todo.pop()
        if node.id not in seen:
            seen[node.id] = node
            todo.extend(plan.inputs(node))
    return list(seen.values())


def _operators(plan: CompiledPlan) -> Iterator[dict[str, object]]:
    """The operators in the form of Flink's execution plan; an exchange is the way in which its target is reached."""
    for node in plan.in_order:
        if node.kind == "exchange":
            continue
        pact = "Data Sink" if isinstance(node, Sink) else "Data Source" if not plan.inputs(node) else "Operator"
        name = masked_text(node.description) or node.type
        title = name.partition("(")[0]
        if isinstance(node, TableSourceScan):
            title = f"Source: {node.scan_table_source.table.identifier.rpartition('.')[2].strip('`')}"
        elif isinstance(node, Sink):
            title = f"Sink: {node.dynamic_table_sink.table.identifier.rpartition('.')[2].strip('`')}"
        operator: dict[str, object] = {"id": node.id, "type": f"{title}[{node.id}]", "pact": pact}
        operator["contents"] = f"[{node.id}]:{name}"
        before = [_reached(plan, source) for source in plan.inputs(node)]
        if before:
            operator["predecessors"] = [{"id": at, "ship_strategy": ship, "side": "second"} for at, ship in before]
        yield operator


def _reached(plan: CompiledPlan, source: PlanNode) -> tuple[int, str]:
    """The operator behind an input, and how its rows are shipped."""
    ship = "FORWARD"
    while source.kind == "exchange":
        ship = "HASH" if source.input_properties[0].required_distribution.keys else "GLOBAL"
        (source,) = plan.inputs(source)
    return source.id, ship
