"""Warm-up: operators that would start empty and are filled from history, and the refusals.

An operator is filled by a replay: the part of the new plan upstream of it runs over the rows that the kept sources have
read, without sinks. This is correct if everything upstream produces the same rows as then, so everything else is
refused, including operators whose output depends on the time of arrival.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from compiled_plan.plans.errors import CheckpointError
from compiled_plan.plans.execution.interfaces.connectors import table_of
from compiled_plan.plans.execution.operators.base import emits_by_processing_time
from compiled_plan.plans.execution.stages.prepared import PreparedPlan, prepare
from compiled_plan.plans.execution.state.checkpoint.offsets import Progress
from compiled_plan.plans.execution.state.upgrade.excerpt import above, excerpt
from compiled_plan.plans.execution.state.upgrade.filling import Clock, Filling, batches_of
from compiled_plan.plans.execution.state.upgrade.pasts import Pasts
from compiled_plan.plans.inspection.diff.model import OperatorEdit, PlanDiff
from compiled_plan.plans.inspection.judging.verdicts import Verdict
from compiled_plan.plans.nodes.base import PlanNode
from compiled_plan.plans.nodes.deduplicate import Deduplicate
from compiled_plan.plans.nodes.lookup import LookupJoin
from compiled_plan.plans.nodes.over import OverAggregate
from compiled_plan.plans.nodes.rank import Rank
from compiled_plan.plans.nodes.sink import Sink
from compiled_plan.plans.plan import CompiledPlan
from compiled_plan.plans.types.temporal import is_proctime

#: The option's value that fills all operators that would start empty.
ALL = "all"


@dataclass(frozen=True, slots=True)
class Refusal:
    """A reason why an operator cannot be filled, or the result of a sink cannot be computed.

    Args:
        part: the operator or sink.
        why: the reason, with its subject.
        remedy: what to do.
    """

    part: str
    why: str
    remedy: str = ""


@dataclass(frozen=True)
class Warming:
    """A start that fills operators.

    Args:
        pasts: the histories of the new program's sources; the program has the uids of the checkpoint.
        empty: the operators that would start empty.
        partly: by uid in the checkpoint, why an operator's state does not reflect all rows read.
        moved: True if the generation itself was created by an upgrade.
        progress: the progress of the checkpoint.
        timed_before: the tables of the old program whose rows made watermarks.
        max_files: maximum number of files per table and micro-batch.
        where: the checkpoint, for errors.
        corrects: True if the upgrade corrects the past.
    """

    pasts: Pasts
    diff: PlanDiff
    empty: tuple[OperatorEdit, ...]
    partly: Mapping[str, str]
    moved: bool
    progress: Progress
    timed_before: frozenset[str]
    max_files: int | None
    where: str
    corrects: bool = False

    def filling(self, wanted: Sequence[str], sinks: Collection[int] = ()) -> Filling | None:
        """The filling of the requested operators; None if neither they nor the sinks have a history.

        Args:
            wanted: their uids, or "all".
            sinks: nodes of the sinks whose results over the history are wanted, too.

        Raises:
            CheckpointError: no such operator, or one that cannot be filled; gives the reason.
        """
        self.pasts.check_histories(self.where)
        edits = tuple(edit for edit in self._requested(wanted) if self._has_past(_node(edit)))
        sinks = tuple(filter(self._has_past, sinks))
        if not (edits or sinks) or not self.pasts.log:
            return None
        ends = {_node(edit): f"operator {edit.uid}" for edit in edits}
        ends |= {sink: f"sink {self._sink_table(sink)}" for sink in sinks if sink not in ends}
        prepared = prepare(excerpt(self._prepared.plan, ends))
        clock = self._clock(prepared)
        refusals = tuple(dict.fromkeys((*self._refusals(ends, edits), *self._watermark_refusals(ends, clock))))
        if refusals:
            raise _refused(refusals, self.where, self.corrects)
        # The id of a table with several scans is that of the first, which may be missing here.
        sources = {at: self.pasts.source_of(prepared.starts(at)[0]) for at in (*prepared.tables, *prepared.values)}
        pasts = {at: past for at, source in sources.items() if (past := self.pasts.past(source)) is not None}
        names = {at: self.pasts.names.by_node[source] for at, source in sources.items()}
        files = {past.name: (past.files, past.history is not None) for past in pasts.values() if not past.until}
        positions = {past.name: past.until for past in pasts.values() if past.until}
        batches = batches_of(files, clock, self.max_files, positions)
        return Filling(edits, prepared, pasts, names, batches, clock, self.progress, sinks)

    @cached_property
    def _prepared(self) -> PreparedPlan:
        return self.pasts.prepared

    # ---- the operators

    def _requested(self, wanted: Sequence[str]) -> tuple[OperatorEdit, ...]:
        if ALL in wanted:
            return self.empty
        edits = []
        for uid in wanted:
            edit = next((candidate for candidate in self.empty if uid in self._uids(candidate)), None)
            if edit is None:
                raise self._not_empty(uid)
            edits.append(edit)
        return tuple(dict.fromkeys(edits))

    def _not_empty(self, uid: str) -> CheckpointError:
        message = f"--warm-up {uid}: no operator of this uid starts empty"
        remedy = f"operators that start empty: {', '.join(edit.uid for edit in self.empty) or 'none'}"
        if any(uid in self._uids(edit) and edit.new_node is not None for edit in self.diff.operators):
            message = f"--warm-up {uid}: the operator keeps its state"
            remedy = f"--reset {uid} --warm-up {uid} rebuilds it from history"
        return CheckpointError(message, where=self.where, remedy=remedy)

    def _uids(self, edit: OperatorEdit) -> set[str]:
        own = "" if edit.new_node is None else self._prepared.plan.node(edit.new_node).uid or ""
        return {edit.uid, edit.old_uid, own} - {""}

    def _has_past(self, node: int) -> bool:
        return any(map(self.pasts.was_read, self.pasts.above(node)))

    def _sink_table(self, node: int) -> str:
        sink = self._prepared.plan.node(node)
        assert isinstance(sink, Sink)
        return ".".join(table_of(sink).path)

    # ---- refusals

    def _refusals(self, ends: Mapping[int, str], edits: Sequence[OperatorEdit]) -> Iterator[Refusal]:
        filled = {edit.new_node for edit in edits}
        for end, label in ends.items():
            ids = above(self._prepared.plan, [end])
            for source in self.pasts.above(end):
                for why, remedy in self.pasts.faults(source):
                    yield Refusal(label, why, remedy)
                for why in self._changed_starts(source):
                    yield Refusal(label, why, "leave the option as it was")
            tables = [source for source in self.pasts.above(end) if self.pasts.repeating(source) is not None]
            for why in unrepeatable(self._prepared.plan, ids, ordered=not tables):
                yield Refusal(label, why)
            for upstream in self.diff.operators:
                if upstream.new_node in ids - filled and upstream.new_node in self._prepared.layout.levels:
                    for why, remedy in self._objections(upstream):
                        yield Refusal(label, why, remedy)

    def _changed_starts(self, source: int) -> Iterator[str]:
        """The changed options of a table that is read again from its start."""
        spec, nodes = self.pasts.repeating(source), set(self._prepared.starts(source))
        for part in self.diff.sources:
            if spec is not None and nodes.intersection(part.new_nodes):
                for edit in part.edits:
                    if edit.property in spec.starts:
                        yield f"the first start read table {part.name} with another {edit.property!r}"

    def _objections(self, edit: OperatorEdit) -> Iterator[tuple[str, str]]:
        """The objections to the earlier output of another operator upstream."""
        operator = f"operator {edit.uid} above it"
        if edit in self.empty:
            if self._has_past(_node(edit)):
                yield f"{operator} starts empty", f"--warm-up {edit.uid} fills that, too"
            return
        remedy = f"--reset {edit.uid} --warm-up {edit.uid} rebuilds that, too"
        why = edit.why if edit.verdict is not Verdict.FULL else self.partly.get(edit.old_uid, "")
        if not why and any(entry.ttl_ms for entry in self._prepared.plan.node(_node(edit)).ttl_entries):
            why = "it forgets after its TTL"
        if why:
            yield f"the earlier output of {operator} is unknown: {why}", remedy
        for source in self.pasts.above(_node(edit)):
            if source in self.pasts.histories:
                table = self.pasts.table(source)
                yield f"{operator} has read {table} itself, and not the table of --warm-up-from", remedy

    # ---- event time

    def _clock(self, prepared: PreparedPlan) -> Clock:
        log = self.pasts.log
        if not prepared.event_time:
            return Clock()
        if self.pasts.description["clock"] != "event time":
            return Clock(True)
        is_complete = not self.moved and [entry.number for entry in log] == list(range(len(log)))
        return Clock(True, log if is_complete else (), log[-1].watermark)

    def _watermark_refusals(self, ends: Mapping[int, str], clock: Clock) -> Iterator[Refusal]:
        """Without a log of the watermarks of micro-batches, only those of a single source can be reconstructed."""
        if not clock.event_time or clock.log:
            return
        label = next(iter(ends.values()))
        for source in dict.fromkeys(source for end in ends for source in self.pasts.above(end)):
            if self.pasts.was_read(source) and self.pasts.repeating(source) is not None:
                table = self.pasts.table(source)
                yield Refusal(label, f"the watermarks at which the rows of {table} were read are no longer logged")
        if clock.last is not None and self.pasts.log[-1].number == 0:
            why = "no micro-batch ran since the last upgrade, so it is not known which windows are closed"
            yield Refusal(label, why, "run the plan that the checkpoint was written by once more")
        timed = sorted({*self.pasts.timed(), *self.timed_before})
        if len(timed) > 1:
            why = "go together, and how far each was read at which time is no longer known"
            yield Refusal(label, f"the watermarks of {', '.join(timed)} {why}")


def _node(edit: OperatorEdit) -> int:
    assert edit.new_node is not None
    return edit.new_node


def _refused(refusals: Sequence[Refusal], where: str, corrects: bool) -> CheckpointError:
    lines = [f"  - {refusal.part}: {refusal.why}" for refusal in refusals]
    remedies = [refusal.remedy for refusal in refusals if refusal.remedy]
    empty = "leave --warm-up out: the operator starts empty, which --upgrade migrate-partial accepts"
    remedies.append("--upgrade migrate-partial starts without correcting the past" if corrects else empty)
    text = "history does not yield the state that the operators would have by now:\n" + "\n".join(lines)
    return CheckpointError(text, where=where, remedy="; ".join(dict.fromkeys(remedies)))


#: Functions that return the time, or vary between calls; PROCTIME() itself has no value until it is materialised.
_OF_THE_MOMENT = {
    f"${name}$1": name
    for name in (
        "CURRENT_DATE",
        "CURRENT_ROW_TIMESTAMP",
        "CURRENT_TIME",
        "CURRENT_TIMESTAMP",
        "CURRENT_WATERMARK",
        "LOCALTIME",
        "LOCALTIMESTAMP",
        "NOW",
        "RAND",
        "RAND_INTEGER",
        "SOURCE_WATERMARK",
        "UUID",
    )
} | {"$PROCTIME_MATERIALIZE$1": "PROCTIME"}
_UNIX = "$UNIX_TIMESTAMP$1"


def unrepeatable(plan: CompiledPlan, ids: Collection[int], *, ordered: bool = True) -> Iterator[str]:
    """The reasons why repeated rows would not produce the same output.

    Args:
        ids: the nodes that the rows pass.
        ordered: True if the rows come in the order of their arrival.
    """
    for node in plan.in_order:
        if node.id in ids:
            yield from _of_node(plan, node, ordered)


def _of_node(plan: CompiledPlan, node: PlanNode, ordered: bool) -> Iterator[str]:
    where = f"node {node.id} ({node.kind})"
    for name in dict.fromkeys(_calls(node.to_dict())):
        yield f"{where} calls {name}, which returns another value now than when the rows arrived"
    if isinstance(node, LookupJoin):
        yield f"{where} looks up a table, whose rows at that time are unknown"
    elif emits_by_processing_time(node, plan) and not _depends_only_on_order(node):
        yield f"{where} uses processing time, and the arrival times of the rows are unknown"
    elif not ordered and _goes_by_arrival(node, plan):
        yield f"{where} goes by the order in which rows arrived, and a table does not keep it"


def _depends_only_on_order(node: PlanNode) -> bool:
    """Return True if the order of rows matters, but not their time of arrival."""
    return isinstance(node, Deduplicate) or (isinstance(node, OverAggregate) and node.forgets_idle_keys)


def _goes_by_arrival(node: PlanNode, plan: CompiledPlan) -> bool:
    """Return True if the result depends on the order of arrival."""
    if isinstance(node, Rank):
        types = plan.inputs(node.id)[0].output_type.types
        return any(is_proctime(types[field.index]) for field in node.order_by.fields)
    is_by_time = emits_by_processing_time(node, plan) and not (isinstance(node, Deduplicate) and node.is_rowtime)
    return is_by_time and _depends_only_on_order(node)


def _calls(value: object) -> Iterator[str]:
    """The functions of the moment in a node's JSON."""
    pending = [value]
    while pending:
        item = pending.pop()
        if isinstance(item, list):
            pending += item
        elif isinstance(item, dict):
            name = item.get("internalName")
            if name in _OF_THE_MOMENT:
                yield _OF_THE_MOMENT[str(name)]
            elif name == _UNIX and not item.get("operands"):
                yield "UNIX_TIMESTAMP"
            elif item.get("deterministic") is False:
                yield "a Python function that is not deterministic"
            pending += item.values()
