"""Stateful operators of two plans: their edits, and the effect on downstream operators."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from compiled_plan.plans.inspection.diff.flows import Words, flow_findings
from compiled_plan.plans.inspection.diff.model import Change, OperatorEdit, TtlChange
from compiled_plan.plans.inspection.diff.reasons import Reason, affects, first, passed, rejects
from compiled_plan.plans.inspection.diff.sides import PlanPair, PlanSide, is_by_time
from compiled_plan.plans.inspection.diff.words import place_of, words_of
from compiled_plan.plans.inspection.judging.edited import Edited, Judgement, Pair
from compiled_plan.plans.inspection.judging.kinds import kind_of
from compiled_plan.plans.inspection.judging.shared_properties import judged
from compiled_plan.plans.inspection.judging.verdicts import PropertyEdit, Verdict, worst
from compiled_plan.plans.inspection.lineage.operators import OperatorLineage, Role
from compiled_plan.plans.nodes.base import PlanNode
from compiled_plan.plans.nodes.join import Join
from compiled_plan.plans.nodes.sink import Sink
from compiled_plan.plans.rex import UserFunction

#: Properties of the incoming rows, which `flow_findings` judges.
_FLOWS = ("rows", "filter")
_FILLED = "it is filled from history"


@dataclass(slots=True)
class Operators:
    """The operators of a new plan, visited from the sources downstream."""

    both: PlanPair
    #: By node of the new plan, the reasons that its past rows differ from those of the new program.
    past: Mapping[int, tuple[Reason, ...]]
    edits: Mapping[int, OperatorEdit]  # edits by node of the new plan
    silent: Collection[int] = ()  # nodes of the new plan that would have produced no row so far
    unchecked: Sequence[str] = ()  # facts that only a start can compare, in words

    def ordered(self) -> tuple[OperatorEdit, ...]:
        """The edits in the order of the new plan, then removed operators."""
        edits = (self.edits[node.id] for node in self.both.new.stateful if node.id in self.edits)
        return (*edits, *_removed(self.both))


def operators_of(both: PlanPair, sources: Mapping[int, tuple[Reason, ...]], filled: Collection[int] = ()) -> Operators:
    """Compare all operators.

    `sources` maps nodes of the new plan to the reasons that a table's past rows are wrong; the state of `filled` nodes
    is rebuilt from all rows that were read before.
    """
    work = _Work(both, dict(sources), filled)
    for node in both.new.plan.in_order:
        work.visit(node)
    return Operators(both, work.past, work.edits, work.silent, work.unchecked)


@dataclass(slots=True)
class _Work:
    both: PlanPair
    past: dict[int, tuple[Reason, ...]]
    filled: Collection[int] = ()
    edits: dict[int, OperatorEdit] = field(default_factory=dict)
    silent: set[int] = field(default_factory=set)
    unchecked: list[str] = field(default_factory=list)

    def visit(self, node: PlanNode) -> None:
        if self._is_silent(node):
            self.silent.add(node.id)
        above = dict.fromkeys(reason for below in self.both.new.plan.inputs(node) for reason in self.past[below.id])
        above = {reason: None for reason in above if not self._rejects(reason, node)}
        affecting = tuple(reason for reason in above if affects(reason, self.both.new, node))
        own: list[Reason] = []
        if node in self.both.new.stateful:
            edit, fault = self._operator(node, affecting)
            self.edits[node.id] = edit
            own = [] if fault is None else [fault]
            above = dict.fromkeys(passed(reason, self.both.new, node) for reason in above)
        reasons = affecting if isinstance(node, Sink) else above
        self.past.setdefault(node.id, first(dict.fromkeys([*own, *reasons])))

    def _rejects(self, reason: Reason, node: PlanNode) -> bool:
        """Return True if an operator or sink that was there gets none of the rows that a reason concerns."""
        match = self.both.matches.get(node.id)
        old = self.both.sinks.get(node.id) if match is None else match.old
        return old is not None and all(
            rejects(reason, before.rows, after.rows)
            for before, after in zip(self.both.old.ports(old), self.both.new.ports(node.id), strict=False)
        )

    def _is_silent(self, node: PlanNode) -> bool:
        """Return True if the node would have produced no row: no row on any input, or on one input of an inner join."""
        inputs = self.both.new.plan.inputs(node)
        if not inputs:
            return all(self.both.is_fresh(branch.origin) for branch in self.both.new.lineage.flows[node.id])
        if self._joins_inner(node):
            return any(source.id in self.silent for source in inputs)
        return self._gets_no_rows(node)

    def _gets_no_rows(self, node: PlanNode) -> bool:
        return all(source.id in self.silent for source in self.both.new.plan.inputs(node))

    @staticmethod
    def _joins_inner(node: PlanNode) -> bool:
        return isinstance(node, Join) and node.join_spec.join_type in ("INNER", "SEMI")

    def _operator(self, node: PlanNode, above: tuple[Reason, ...]) -> tuple[OperatorEdit, Reason | None]:
        """The operator's edit, and the reason that its own past output is wrong (None if it is not)."""
        match = self.both.matches.get(node.id)
        if match is None:
            edit = self._added(node, above)
            return edit, _reason(edit)
        edit, own = self._matched(match.old, node.id)
        rerouted = self.both.rerouted(match.old, node.id)
        if rerouted and edit.verdict is Verdict.FULL:
            change = rows_of_another(self.both, rerouted[0], _stay(edit.kind))
            edit = replace(
                edit, change=Change.CHANGED, edits=(*edit.edits, change), verdict=change.verdict, why=change.why
            )
        own = own or _reason(edit)
        if node.id in self.filled:
            return replace(edit, verdict=Verdict.FULL, why=_FILLED), own
        if above and edit.verdict is Verdict.FULL:
            first = above[0]
            edit = replace(edit, verdict=Verdict.PARTIAL, why=f"its rows come from {first.of}: {first.why}")
        return edit, own

    def _added(self, node: PlanNode, above: tuple[Reason, ...]) -> OperatorEdit:
        both = self.both
        tables = ", ".join(both.new.lineage.tables[node.id])
        ports = both.new.ports(node.id)
        fresh = all(both.is_fresh(branch.origin) for port in ports for branch in port.rows)
        verdict = Verdict.PARTIAL
        why = f"it starts empty: rows of {tables} from before are not in its results"
        if node.id not in both.new.operators:
            verdict, why = Verdict.FULL, "it has no state of its own: the operator downstream has"
        elif node.id in self.filled:
            verdict, why = Verdict.FULL, _FILLED
        elif (fresh or self._gets_no_rows(node)) and not above:
            why = f"it starts empty, and {tables} is read from the beginning"
            if both.old.has_watermarks and is_by_time(both.new.operators[node.id]):
                why += "; rows that the watermark of the checkpoint has passed are late"
            else:
                verdict = Verdict.FULL
        elif not all(both.new.input_appends(node.id, at) for at in range(len(ports))):
            why += ", and it may get retractions of rows that it never received"
        return replace(_operator_edit(Change.ADDED, both.new, node.id, None, node.id), verdict=verdict, why=why)

    def _matched(self, old: int, new: int) -> tuple[OperatorEdit, Reason | None]:
        """The edit of an operator, and the reason in it that its past output is wrong (None if it is right)."""
        both = self.both
        findings = tuple(_findings(both, old, new))
        edits = (*(finding.edit for finding in findings), *self._codes(old, new))
        ttls = tuple(_ttl_edits(both, old, new))
        place = place_of(both, old, new)
        unchanged = Change.TTL_CHANGED if ttls else Change.MOVED if place else Change.KEPT
        verdict = worst(edit.verdict for edit in edits)
        why = next((edit.why for edit in edits if edit.verdict is verdict), "")
        edit = _operator_edit(Change.CHANGED if edits else unchanged, both.new, new, old, new, both.old.uids[old])
        edit = replace(edit, edits=edits, ttls=ttls, place=place, verdict=verdict, why=why)
        past_fault = next((finding.past_fault for finding in findings if finding.past_fault), "")
        return edit, Reason(edit.words, past_fault) if past_fault else _own_reason(edit, findings)

    def _codes(self, old: int, new: int) -> Iterator[PropertyEdit]:
        """Edits of an operator's Python functions whose code changed."""
        before, after = self.both.old, self.both.new
        if old not in before.operators or new not in after.operators:
            return
        common = set(before.operators[old].functions) & set(after.operators[new].functions)
        for function in sorted(common, key=lambda function: function.path):
            yield from self._accumulators(function, old, new)
            digests = before.run.code(before.name(old), function), after.run.code(after.name(new), function)
            if all(digests) and digests[0] != digests[1]:
                was, becomes = (f"code {digest[:8]}" for digest in digests)
                why = f"it is unknown whether the code of {function.path} still reads its state"
                remedy = f"run it with the old code of {function.path}"
                yield PropertyEdit(f"code of {function.path}", was, becomes, Verdict.UNKNOWN, why, remedy)
            elif before.run.is_run and not all(digests):
                self.unchecked.append(f"the code of {function.path}")

    def _accumulators(self, function: UserFunction, old: int, new: int) -> Iterator[PropertyEdit]:
        before, after = self.both.old, self.both.new
        was = before.run.accumulator(before.name(old), function)
        becomes = after.run.accumulator(after.name(new), function)
        if was and becomes and was != becomes:
            why = f"the stored accumulators of {function.path} have another type"
            remedy = f"keep the accumulator type {was}"
            yield PropertyEdit(f"accumulator of {function.path}", was, becomes, Verdict.INCOMPATIBLE, why, remedy)


def _reason(edit: OperatorEdit) -> Reason | None:
    """The reason that the past output of an operator is wrong; None if it is right."""
    return None if edit.verdict is Verdict.FULL else Reason(edit.words, edit.why)


def _own_reason(edit: OperatorEdit, findings: Sequence[Judgement]) -> Reason | None:
    """The reason in an operator's edits, with the values or the rows that it concerns, if all findings name them."""
    reason = _reason(edit)
    low = [finding for finding in findings if finding.edit.verdict is not Verdict.FULL]
    if reason is None or edit.verdict is not Verdict.PARTIAL:
        return reason
    if all(finding.values for finding in low):
        return replace(reason, values=frozenset[str]().union(*(finding.values for finding in low)))
    if all(any(finding.failing) for finding in low):
        held, emitted = (frozenset[str]().union(*sides) for sides in zip(*(f.failing for f in low), strict=True))
        return replace(reason, failing=(held, emitted))
    return reason


def rows_of_another(both: PlanPair, above: int, stay: str) -> PropertyEdit:
    """The edit for rows that come from an existing operator and came from another one before, whose rows `stay`."""
    words = words_of(both.new, above)
    why = f"rows from before came from another operator, and {stay}; from now on they come from {words}"
    return PropertyEdit("rows", "another operator", words, Verdict.PARTIAL, why)


def _findings(both: PlanPair, old: int, new: int) -> Iterator[Judgement]:
    before, after = both.old.operators.get(old), both.new.operators.get(new)
    if before is None or after is None:
        return
    olds, news = ({property_.name: property_ for property_ in side.properties} for side in (before, after))
    ports = both.old.ports(old), both.new.ports(new)
    if len(ports[0]) != len(ports[1]):
        why = "the state of each input has another position"
        yield Judgement(PropertyEdit("inputs", str(len(ports[0])), str(len(ports[1])), Verdict.INCOMPATIBLE, why))
        return
    appends = (both.old.input_appends(old, at) and both.new.input_appends(new, at) for at in range(len(ports[1])))
    pair = Pair(before, after, frozenset(at for at, both_append in enumerate(appends) if both_append))
    for name in dict.fromkeys([*olds, *news]):
        old_property, new_property = olds.get(name), news.get(name)
        edited = Edited(name, old_property, new_property, pair)
        differs = old_property is None or new_property is None or old_property.digest != new_property.digest
        if edited.present.subject not in _FLOWS and differs and (judgement := judged(edited)) is not None:
            yield judgement
    yield from _zones(pair)
    for at, (left, right) in enumerate(zip(*ports, strict=True)):
        yield from flow_findings(both, left, right, Words(_stay(after.kind), pair.appends(at), is_by_time(after)))


def _stay(name: str) -> str:
    """Verb for stale rows of an operator kind: "stay counted in open windows"."""
    kind = kind_of(name)
    return kind.stay + kind.waiting.replace(" of ", " in ", 1)


def _zones(pair: Pair) -> Iterator[Judgement]:
    """Judgement of times that were truncated to days or hours in another time zone."""
    if pair.old.zones == pair.new.zones:
        return
    old, new = (", ".join(sorted(operator.zones)) or "none" for operator in (pair.old, pair.new))
    keys = [item for property_ in pair.new.properties if property_.role is Role.KEY for item in property_.items]
    if any(item.meaning is not None and item.meaning.zones for item in keys):
        why = "keys and windows from before were truncated in the old time zone"
        yield Judgement(PropertyEdit("time zone", old, new, Verdict.INCOMPATIBLE, why, _zone_remedy(pair.old)))
    else:
        why = "values from before were computed in the old time zone"
        yield Judgement(PropertyEdit("time zone", old, new, Verdict.PARTIAL, why, _zone_remedy(pair.old)))


def _zone_remedy(operator: OperatorLineage) -> str:
    return f"give --time-zone {next(iter(operator.zones))}" if len(operator.zones) == 1 else ""


def _ttl_edits(both: PlanPair, old: int, new: int) -> Iterator[TtlChange]:
    before = {(entry.index, entry.name): entry for entry in both.old.plan.node(old).ttl_entries}
    for entry in both.new.plan.node(new).ttl_entries:
        former = before.get((entry.index, entry.name))
        if former is not None and former.ttl_ms != entry.ttl_ms:
            yield TtlChange(entry.index, entry.name, former.ttl_ms, entry.ttl_ms)


def _removed(both: PlanPair) -> Iterator[OperatorEdit]:
    for node in both.old.stateful:
        if node.id in both.matching.gone:
            edit = _operator_edit(Change.REMOVED, both.old, node.id, node.id, None, both.old.uids[node.id])
            yield replace(edit, why="its state is dropped")


def _operator_edit(
    change: Change, side: PlanSide, node: int, old: int | None, new: int | None, old_uid: str = ""
) -> OperatorEdit:
    return OperatorEdit(change, side.uids[node], side.kind(node), words_of(side, node), old, new, old_uid)
