"""Effect of starting the new plan in real Flink from a savepoint of the old one.

Flink finds state by the uid of a transformation, by default `<id>_<transformation>` with the node's id. An operator
whose node is renumbered starts empty, and one that takes over the number of an operator of its kind silently restores
that operator's state if column types are equal. The meaning of state is not compared at all.

Source: Flink's pages "Savepoints" and "State TTL Migration Compatibility", the options `table.exec.uid.*`, Flink 2.3's
`ExecNodeContext.generateUid` and `Checkpoints.loadAndValidateCheckpoint`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cached_property

from compiled_plan.plans.inspection.diff.model import OperatorEdit, PlanDiff
from compiled_plan.plans.inspection.identity import keeps_state
from compiled_plan.plans.inspection.judging.verdicts import Verdict, worst
from compiled_plan.plans.nodes.base import PlanNode
from compiled_plan.plans.nodes.flink_state import StateItem
from compiled_plan.plans.nodes.scan import TableSourceScan
from compiled_plan.plans.nodes.sink import Sink
from compiled_plan.plans.nodes.tables import CatalogTable
from compiled_plan.plans.plan import CompiledPlan

#: Options that control uids, with Flink's defaults.
FORMAT, GENERATION = "table.exec.uid.format", "table.exec.uid.generation"
DEFAULTS: Mapping[str, str] = {FORMAT: "<id>_<transformation>", GENERATION: "PLAN_ONLY"}
_DISABLED = "DISABLED"
#: The transformation that holds a source's offsets, in a format that depends on the connector.
_SOURCE = "source"
#: The transformation with a sink's pending output, by connector; other connectors have none, or an unknown one.
_SINKS: Mapping[str, str] = {"filesystem": "streaming-writer"}
#: Without this option Flink refuses a savepoint with unclaimed state.
ALLOW = "--allowNonRestoredState (execution.state-recovery.ignore-unclaimed-state)"


class Fate(Enum):
    """Flink's treatment of an operator's state."""

    RESTORED = "restored"
    WRONG = "restored, and wrong"
    OTHERS = "restored, but not its own"
    EMPTY = "starts empty"
    DROPPED = "left over"
    REFUSED = "refused"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class FlinkEdit:
    """The fate of an operator's state in Flink."""

    words: str  # the operator, as in the difference
    uid: str  # uid of its transformation in the new plan; in the old plan if the state is unclaimed
    was: str  # uid in the old plan; empty if it is new
    fate: Fate  # Flink's treatment
    verdict: Verdict  # effect on the results
    why: str = ""


@dataclass(frozen=True, slots=True)
class FlinkDiff:
    """The state that Flink restores."""

    operators: tuple[FlinkEdit, ...]  # stateful operators in the order of the new plan, then unclaimed state
    needs_permission: bool  # True if a start needs permission to drop state
    verdict: Verdict  # the worst of all


def flink_diff(diff: PlanDiff, old: CompiledPlan, new: CompiledPlan, options: Mapping[str, str]) -> FlinkDiff:
    """Predict the state that Flink restores for a new plan from the old one's savepoint, with the session's options."""
    effective = dict(DEFAULTS) | {key: value for key, value in options.items() if key in DEFAULTS}
    if effective[GENERATION] == _DISABLED:
        return _by_graph(diff)
    before, after = _Side(old, effective[FORMAT]), _Side(new, effective[FORMAT])
    edits = (*_Comparison(diff, before, after).edits(), *_sources(diff, before, after), *_sinks(before, after))
    unclaimed = not before.all_uids <= after.all_uids
    return FlinkDiff(edits, unclaimed, worst(edit.verdict for edit in edits))


def _by_graph(diff: PlanDiff) -> FlinkDiff:
    """Without uids Flink uses hashes of its job graph, which plans do not contain."""
    if diff.is_empty:
        return FlinkDiff((), False, Verdict.FULL)
    why = f"with {GENERATION} = {_DISABLED} Flink finds operators by hashes of the whole job graph"
    edits = tuple(
        FlinkEdit(part.words, "", "", Fate.UNKNOWN, Verdict.UNKNOWN, why)
        for part in diff.operators
        if part.new_node is not None
    )
    return FlinkDiff(edits, False, Verdict.UNKNOWN)


@dataclass(frozen=True)
class _Side:
    plan: CompiledPlan
    format: str

    @cached_property
    def by_uid(self) -> Mapping[str, PlanNode]:
        """The nodes with known state, by uid."""
        known = (node for node in self.plan.nodes if node.TRANSFORMATION and keeps_state(node))
        return {uid_of(node, node.TRANSFORMATION, self.format): node for node in known}

    @cached_property
    def sources(self) -> Mapping[str, CatalogTable]:
        """The source tables, by uid."""
        scans = (node for node in self.plan.nodes if isinstance(node, TableSourceScan))
        return {uid_of(node, _SOURCE, self.format): node.scan_table_source.table for node in scans}

    @cached_property
    def sinks(self) -> Mapping[str, CatalogTable]:
        """The sink tables whose pending output is state, by uid."""
        written = [(node, node.dynamic_table_sink.table) for node in self.plan.nodes if isinstance(node, Sink)]
        stateful = [(node, table, _SINKS.get(table.options.get(_CONNECTOR, ""))) for node, table in written]
        return {uid_of(node, state, self.format): table for node, table, state in stateful if state}

    @property
    def all_uids(self) -> set[str]:
        """The uids that a savepoint has state for."""
        return {*self.by_uid, *self.sources, *self.sinks}

    @cached_property
    def uids(self) -> Mapping[int, str]:
        return {node.id: uid for uid, node in self.by_uid.items()}

    def items(self, uid: str) -> tuple[StateItem, ...]:
        node = self.by_uid[uid]
        return tuple(node.flink_state([below.output_type.types for below in self.plan.inputs(node)]))


def uid_of(node: PlanNode, transformation: str, format_: str) -> str:
    """The uid that Flink generates for a transformation."""
    parts = {
        "<id>": str(node.id),
        "<type>": node.NAME,
        "<version>": str(node.VERSION),
        "<transformation>": transformation,
    }
    for name, text in parts.items():
        format_ = format_.replace(name, text)
    return format_


@dataclass(frozen=True, slots=True)
class _Comparison:
    diff: PlanDiff
    old: _Side
    new: _Side

    def edits(self) -> Iterator[FlinkEdit]:
        parts = {part.new_node: part for part in self.diff.operators if part.new_node is not None}
        for node in self.new.plan.in_order:
            part = parts.get(node.id)
            if node.id in self.new.uids:
                yield self._edit(node, part)
            elif keeps_state(node):
                why = f"what Flink keeps for {node.type} is not known here"
                yield FlinkEdit(_words(part, node), "", "", Fate.UNKNOWN, Verdict.UNKNOWN, why)
        yield from self._left_over()

    def _edit(self, node: PlanNode, part: OperatorEdit | None) -> FlinkEdit:
        uid, words = self.new.uids[node.id], _words(part, node)
        former = "" if part is None or part.old_node is None else self.old.uids.get(part.old_node, "")
        if uid not in self.old.by_uid:
            if not former:
                return FlinkEdit(words, uid, "", Fate.EMPTY, Verdict.PARTIAL, "it is new")
            why = f"the savepoint has its state under {former}; give the node its old id, {_id(part)}, to restore it"
            return FlinkEdit(words, uid, former, Fate.EMPTY, Verdict.PARTIAL, why)
        differing = self._differing(uid)
        if any(before.sure and after.sure for before, after in differing):
            return FlinkEdit(
                words, uid, former, Fate.REFUSED, Verdict.INCOMPATIBLE, self._refused(uid, former, differing)
            )
        if differing:
            names = " and ".join(after.name or before.name for before, after in differing)
            why = f"another {names}: it is not known whether its serializers still fit"
            return FlinkEdit(words, uid, former, Fate.UNKNOWN, Verdict.UNKNOWN, why)
        if former != uid:
            why = f"it silently restores the state under {uid}, which was another operator's: wrong results"
            return FlinkEdit(words, uid, former, Fate.OTHERS, Verdict.INCOMPATIBLE, why)
        return self._restored(words, uid, part)

    def _restored(self, words: str, uid: str, part: OperatorEdit | None) -> FlinkEdit:
        verdict = Verdict.FULL if part is None else part.verdict
        why = "" if part is None else part.why
        if verdict is Verdict.FULL:
            # Between 0 and a TTL the byte format changes, which Flink converts since 2.2.
            turned = part is not None and any(bool(ttl.old) != bool(ttl.new) for ttl in part.ttls)
            return FlinkEdit(words, uid, uid, Fate.RESTORED, verdict, _TURNED if turned else "")
        return FlinkEdit(words, uid, uid, _fate(verdict), verdict, f"silently, although {why}" if why else "")

    def _differing(self, uid: str) -> list[tuple[StateItem, StateItem]]:
        """Pairs of state items under one uid that differ."""
        before, after = ({item.name: item for item in side.items(uid)} for side in (self.old, self.new))
        nothing = StateItem("", "nothing", sure=False)
        pairs = [(before.get(name, nothing), after.get(name, nothing)) for name in dict.fromkeys([*before, *after])]
        return [(before_item, after_item) for before_item, after_item in pairs if before_item.value != after_item.value]

    def _refused(self, uid: str, former: str, differing: list[tuple[StateItem, StateItem]]) -> str:
        sure = [pair for pair in differing if pair[0].sure and pair[1].sure]
        changes = "; ".join(f"{after.name}: {before.value} -> {after.value}" for before, after in sure)
        owner = "" if former == uid else f", which is another operator's under {uid}"
        return f"the state in the savepoint{owner} does not fit ({changes}): StateMigrationException"

    def _left_over(self) -> Iterator[FlinkEdit]:
        """State that no new operator claims, except that of a kept operator whose edit reports it."""
        names = {part.old_node: part for part in self.diff.operators}
        moved = {part.old_node for part in self.diff.operators if part.new_node in self.new.uids}
        for uid, node in self.old.by_uid.items():
            if uid not in self.new.by_uid and node.id not in moved:
                words = _words(names.get(node.id), node)
                yield FlinkEdit(words, uid, uid, Fate.DROPPED, Verdict.FULL, _UNCLAIMED)


def _sources(diff: PlanDiff, old: _Side, new: _Side) -> Iterator[FlinkEdit]:
    """Edits of the offsets of sources."""
    parts = {part.name: part for part in diff.sources}
    for uid, table in new.sources.items():
        words = f"source {table.path[-1]}"
        former = next((uid for uid, old_table in old.sources.items() if _is_same(old_table, table)), "")
        holder = old.sources.get(uid)
        if holder is None:
            why = (
                f"the savepoint has its position under {former}; it is read from its beginning"
                if former
                else "it is new"
            )
            yield FlinkEdit(words, uid, former, Fate.EMPTY, Verdict.PARTIAL if former else Verdict.FULL, why)
        elif _is_same(holder, table):
            part = parts.get(table.path[-1])
            verdict = Verdict.FULL if part is None else part.verdict
            why = f"silently, although {part.why}" if part is not None and part.why else ""
            yield FlinkEdit(words, uid, uid, _fate(verdict), verdict, why)
        elif holder.options.get(_CONNECTOR) == table.options.get(_CONNECTOR):
            why = f"it gets the position under {uid}, which was that of {holder.path[-1]}"
            yield FlinkEdit(words, uid, former, Fate.OTHERS, Verdict.INCOMPATIBLE, why)
        else:
            why = f"under {uid} is the position of {holder.path[-1]}, of another connector"
            yield FlinkEdit(words, uid, former, Fate.REFUSED, Verdict.INCOMPATIBLE, why)
    for uid, table in old.sources.items():
        if uid not in new.sources and not any(_is_same(table, new_table) for new_table in new.sources.values()):
            yield FlinkEdit(f"source {table.path[-1]}", uid, uid, Fate.DROPPED, Verdict.FULL, _UNCLAIMED)


def _sinks(old: _Side, new: _Side) -> Iterator[FlinkEdit]:
    """Edits of pending sink output that the new plan does not claim."""
    for uid, table in old.sinks.items():
        if uid not in new.sinks:
            now = next((new_uid for new_uid, new_table in new.sinks.items() if _is_same(new_table, table)), "")
            words = f"sink {table.path[-1]}"
            if now:
                why = f"the savepoint has the pending output under {uid}: open files stay unfinished"
                yield FlinkEdit(words, now, uid, Fate.EMPTY, Verdict.PARTIAL, why)
            else:
                yield FlinkEdit(words, uid, uid, Fate.DROPPED, Verdict.FULL, _UNCLAIMED)


def _fate(verdict: Verdict) -> Fate:
    """Fate of restored state, according to our own verdict."""
    return Fate.WRONG if verdict is Verdict.INCOMPATIBLE else Fate.RESTORED


def _is_same(first: CatalogTable, second: CatalogTable) -> bool:
    """Return True if both are one table, by name or by the location of their rows."""
    # Two tables with equal options read the same rows only if the options state the location.
    return first.identifier == second.identifier or (_PLACE in first.options and first.options == second.options)


_CONNECTOR, _PLACE = "connector", "path"
_UNCLAIMED = f"a start is refused without {ALLOW}, and drops it with that"
_TURNED = "a TTL is switched on or off: Flink converts that since 2.2 (RocksDB: 2.1), older ones refuse it"


def _words(part: OperatorEdit | None, node: PlanNode) -> str:
    return part.words if part is not None else f"{node.kind} (node {node.id})"


def _id(part: OperatorEdit | None) -> int | None:
    return None if part is None else part.old_node
