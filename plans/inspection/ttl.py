"""Setting TTLs in a plan's text: only the durations change, every other character stays."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from compiled_plan.plans.errors import PlanError
from compiled_plan.plans.findings import did_you_mean
from compiled_plan.plans.inspection.checked_plans import plan_from_json
from compiled_plan.plans.inspection.identity import derived_uids
from compiled_plan.plans.inspection.named_operators import NamedOperator, operator_named, suggested
from compiled_plan.plans.nodes.base import PlanNode, TtlPlace
from compiled_plan.plans.plan import CompiledPlan
from compiled_plan.plans.text import spans
from compiled_plan.plans.text.durations import bare_number, format_duration, parse_duration, parse_duration_nanos

_FORM = (
    "write NODE.ENTRY=DURATION, such as `5.leftState=3s`, or NODE=DURATION if the node has one entry; "
    "NODE is an id or a uid"
)


@dataclass(frozen=True, slots=True)
class TtlEdit:
    """A TTL to set: node (id or uid), entry (name, empty for the only one), and the duration's text."""

    node: str
    entry: str
    ttl: str

    def __str__(self) -> str:
        return f"{self.target}={self.ttl}"

    @property
    def target(self) -> str:
        """The node and its entry, as written."""
        return f"{self.node}.{self.entry}" if self.entry else self.node


@dataclass(frozen=True, slots=True)
class Change:
    """A changed TTL: node id, operator, entry, the old and the new text, and a warning if it is suspicious."""

    node: int
    uid: str
    entry: str
    old: str
    new: str
    doubt: str = ""


def parse_edit(text: str) -> TtlEdit:
    """Parse `5.leftState=3s`, `join-orders-shipments-3f9c.leftState=3s` or, for a single entry, `5=3s`.

    Raises:
        PlanError: not of this form, or not a duration.
    """
    target, equals, ttl = text.partition("=")
    target = target.strip()
    node, dot, entry = target.rpartition(".")
    if not dot:
        node, entry = target, ""
    if not (equals and node and (entry or not dot)):
        raise PlanError(f"not a TTL to set: {text!r}", remedy=_FORM)
    try:
        _checked(ttl)
    except PlanError as fault:
        raise PlanError(
            f"bad TTL for {target!r}: {fault.message}", remedy=f"{fault.remedy}; `0 ms` never expires"
        ) from None
    return TtlEdit(node.strip(), entry.strip(), ttl.strip())


def set_ttls(text: str, edits: Sequence[TtlEdit], source: str = "") -> tuple[str, tuple[Change, ...]]:
    """Set TTLs in a plan's text; return the text and the changes. The last edit of an entry wins.

    Raises:
        PlanError: an invalid plan, an unknown node or entry, or an invalid duration.
    """
    plan = plan_from_json(text, source)
    uids = dict(derived_uids(plan))
    wanted: dict[tuple[int, int], tuple[PlanNode, str, str]] = {}
    for edit in edits:
        node = _node(plan, uids, edit)
        where = (plan.nodes.index(node), _entry(node, uids.get(node.id, ""), edit))
        wanted[where] = (node, format_duration(_checked(edit.ttl)), bare_number(edit.ttl))
    changes = []
    # From the end of the text to its start, so that earlier positions stay valid.
    for (position, number), (node, ttl, doubt) in sorted(wanted.items(), reverse=True):
        entry = node.ttl_entries[number]
        text = _with_ttl(text, position, node.ttl_place(number), ttl)
        changes.append(Change(node.id, uids.get(node.id, ""), entry.name, entry.ttl, ttl, doubt))
    return text, tuple(reversed(changes))


def _with_ttl(text: str, position: int, place: TtlPlace, ttl: str) -> str:
    """Replace the TTL at a place of a node, or add it."""
    value = json.dumps(place.value(ttl), ensure_ascii=False)
    where = ("nodes", position, *place.path)
    try:
        start, end = spans.find(text, where)
    except KeyError:
        if len(place.path) == 1:
            return spans.add(text, where, value, after="type")
        return spans.put(text, where[:-1], str(where[-1]), value, after="type")
    return text[:start] + value + text[end:]


def _checked(ttl: str) -> int:
    milliseconds = parse_duration(ttl)
    if milliseconds == 0 and parse_duration_nanos(ttl) > 0:
        raise PlanError(
            f"less than a millisecond: {ttl!r}", remedy="write `1 ms` or more; 0 would count as: never expires"
        )
    return milliseconds


def _node(plan: CompiledPlan, uids: dict[int, str], edit: TtlEdit) -> PlanNode:
    known = [NamedOperator(uids.get(node.id, ""), node.id) for node in plan.nodes]
    # A uid may contain dots, and the entry may be omitted.
    named = operator_named(edit.target, known) or operator_named(edit.node, known)
    if named is not None and named.node is not None:
        return plan.node(named.node)
    stateful = [node for node in plan.nodes if node.ttl_entries]
    keeping = [NamedOperator(uids.get(node.id, ""), node.id, node.kind) for node in stateful]
    remedy = suggested(edit.node, keeping) if stateful else "the plan keeps no state that could expire"
    of_entry = [
        f"`{node.id}.{entry.name}={edit.ttl}`"
        for node in stateful
        for entry in node.ttl_entries
        if entry.name == edit.target
    ]
    if of_entry:
        remedy = f"name the node, too: {' or '.join(of_entry)}"
    raise PlanError(f"the plan has no node {edit.node!r}", where=str(edit), remedy=remedy)


def _entry(node: PlanNode, uid: str, edit: TtlEdit) -> int:
    """The index of the entry that an edit names; without a name, of the only one."""
    names = [entry.name for entry in node.ttl_entries]
    node_label = f"node {node.id} ({node.type})"
    if not names:
        message = f"{node_label} has no state entries: {node.why_no_entries()}"
        raise PlanError(message, where=str(edit), remedy="`edit-plan PLAN.json` lists the entries that there are")
    if not edit.entry or edit.target == uid:
        if len(names) == 1:
            return 0
        remedy = "name one: " + " or ".join(f"`{edit.target}.{name}={edit.ttl}`" for name in names)
        raise PlanError(f"{node_label} has {len(names)} state entries", where=str(edit), remedy=remedy)
    if edit.entry not in names:
        message = f"{node_label} has no state entry {edit.entry!r}"
        raise PlanError(message, where=str(edit), remedy=did_you_mean(edit.entry, names))
    return names.index(edit.entry)
