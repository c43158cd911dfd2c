"""The operators of two plans that keep state: what became of each, and what it does to those below."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from compiled_plan.plans.inspection.diff.flows import Words, flow_findings
from compiled_plan.plans.inspection.diff.model import Change, OperatorEdit, TtlEdit
from compiled_plan.plans.inspection.diff.sides import Both, PlanSide, is_by_time
from compiled_plan.plans.inspection.diff.words import place_of, words_of
from compiled_plan.plans.inspection.judging.common import judged
from compiled_plan.plans.inspection.judging.edited import Edited, Judgement, Pair
from compiled_plan.plans.inspection.judging.kinds import kind_of
from compiled_plan.plans.inspection.judging.verdicts import PropertyEdit, Verdict, worst
from compiled_plan.plans.inspection.lineage.operators import OperatorLineage, Role
from compiled_plan.plans.nodes.base import PlanNode
from compiled_plan.plans.nodes.join import Join
from compiled_plan.plans.rex import PythonFunction

#: Reasons that are passed on to those below, of which one is said.
_REASONS = 3
#: Properties that say which rows come, which `flow_findings` judges.
_FLOWS = ("rows", "filter")
_FILLED = "it is filled from history"


@dataclass(frozen=True, slots=True)
class Reason:
    """Why the rows that a node gave before are not those that the new program would have given."""

    of: str  # the operator that it is because of, in words
    why: str


@dataclass(slots=True)
class Operators:
    """The operators of a new plan, looked at from the sources down."""

    both: Both
    #: By node of the new plan, why rows that it gave before are not those of the new program.
    past: Mapping[int, tuple[Reason, ...]]
    edits: Mapping[int, OperatorEdit]  # the operators' edits by node of the new plan
    silent: Collection[int] = ()  # the nodes of the new plan that would have given no row so far
    unchecked: Sequence[str] = ()  # facts that only a start can compare, in words

    def ordered(self) -> tuple[OperatorEdit, ...]:
        """The edits in the order of the new plan, then what was removed."""
        found = (self.edits[node.id] for node in self.both.new.keeping if node.id in self.edits)
        return (*found, *_removed(self.both))


def operators_of(both: Both, sources: Mapping[int, tuple[Reason, ...]], filled: Collection[int] = ()) -> Operators:
    """Look at all operators.

    `sources` says by node of the new plan what is not right with the rows that a table gave before; the state of
    `filled` nodes is made of all rows that were read before.
    """
    work = _Work(both, dict(sources), filled)
    for node in both.new.plan.in_order:
        work.visit(node)
    return Operators(both, work.past, work.edits, work.silent, work.unchecked)


@dataclass(slots=True)
class _Work:
    both: Both
    past: dict[int, tuple[Reason, ...]]
    filled: Collection[int] = ()
    edits: dict[int, OperatorEdit] = field(default_factory=dict)
    silent: set[int] = field(default_factory=set)
    unchecked: list[str] = field(default_factory=list)

    def visit(self, node: PlanNode) -> None:
        if self._is_silent(node):
            self.silent.add(node.id)
        above = dict.fromkeys(each for below in self.both.new.plan.inputs(node) for each in self.past[below.id])
        reasons = tuple(above)
        if node in self.both.new.keeping:
            edit, own = self._operator(node, reasons)
            self.edits[node.id] = edit
            reasons = (Reason(edit.words, own), *reasons)[:_REASONS] if own else reasons
        self.past.setdefault(node.id, reasons)

    def _is_silent(self, node: PlanNode) -> bool:
        """Whether no row would have come of it: of no row on any side, or of none on one side of an inner join."""
        inputs = self.both.new.plan.inputs(node)
        if not inputs:
            return all(self.both.is_fresh(branch.origin) for branch in self.both.new.lineage.flows[node.id])
        if self._joins_inner(node):
            return any(each.id in self.silent for each in inputs)
        return self._hears_nothing(node)

    def _hears_nothing(self, node: PlanNode) -> bool:
        return all(each.id in self.silent for each in self.both.new.plan.inputs(node))

    @staticmethod
    def _joins_inner(node: PlanNode) -> bool:
        return isinstance(node, Join) and node.join_spec.join_type in ("INNER", "SEMI")

    def _operator(self, node: PlanNode, above: tuple[Reason, ...]) -> tuple[OperatorEdit, str]:
        """The edit, and why the operator by itself makes the rows that it gave others than they are to be."""
        match = self.both.matches.get(node.id)
        if match is None:
            edit = self._added(node, above)
            return edit, edit.why if edit.verdict is not Verdict.FULL else ""
        edit, given = self._matched(match.old, node.id)
        strangers = self.both.strangers(match.old, node.id)
        if strangers and edit.verdict is Verdict.FULL:
            change = rows_of_another(self.both, strangers[0], _stay(edit.kind))
            edit = replace(
                edit, change=Change.CHANGED, edits=(*edit.edits, change), verdict=change.verdict, why=change.why
            )
        if not edit.edits and not above and self._is_unexplained(match.old, node.id):
            why = "what is above it differs in something that has no name"
            unknown = PropertyEdit("what is above it", "as it was", "something else", Verdict.UNKNOWN, why)
            edit = replace(edit, change=Change.CHANGED, edits=(unknown,), verdict=Verdict.UNKNOWN, why=why)
        own = given or (edit.why if edit.verdict is not Verdict.FULL else "")
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
            verdict, why = Verdict.FULL, "it keeps nothing by itself: the operator behind it does"
        elif node.id in self.filled:
            verdict, why = Verdict.FULL, _FILLED
        elif (fresh or self._hears_nothing(node)) and not above:
            why = f"it starts empty, and {tables} is read from the beginning"
            if both.old.has_watermarks and is_by_time(both.new.operators[node.id]):
                why += "; rows that the watermark of the checkpoint has passed are late"
            else:
                verdict = Verdict.FULL
        elif not all(both.new.input_appends(node.id, at) for at in range(len(ports))):
            why += ", and rows that are taken back may never have come to it"
        return replace(_operator_edit(Change.ADDED, both.new, node.id, None, node.id), verdict=verdict, why=why)

    def _matched(self, old: int, new: int) -> tuple[OperatorEdit, str]:
        """The edit of an operator, and what is not right with the rows that it gave before."""
        both = self.both
        found = tuple(_findings(both, old, new))
        edits = (*(each.edit for each in found), *self._codes(old, new))
        ttls = tuple(_ttl_edits(both, old, new))
        place = place_of(both, old, new)
        kept = Change.TTL_CHANGED if ttls else Change.MOVED if place else Change.KEPT
        verdict = worst(each.verdict for each in edits)
        why = next((each.why for each in edits if each.verdict is verdict), "")
        given = next((each.given for each in found if each.given), "")
        edit = _operator_edit(Change.CHANGED if edits else kept, both.new, new, old, new, both.old.uids[old])
        return replace(edit, edits=edits, ttls=ttls, place=place, verdict=verdict, why=why), given

    def _codes(self, old: int, new: int) -> Iterator[PropertyEdit]:
        """Python functions of an operator whose code is not what it was."""
        before, after = self.both.old, self.both.new
        if old not in before.operators or new not in after.operators:
            return
        common = set(before.operators[old].functions) & set(after.operators[new].functions)
        for function in sorted(common, key=lambda each: each.path):
            yield from self._accumulators(function, old, new)
            digests = before.run.code(before.name(old), function), after.run.code(after.name(new), function)
            if all(digests) and digests[0] != digests[1]:
                was, becomes = (f"code {digest[:8]}" for digest in digests)
                why = f"nobody can tell whether the code of {function.path} still reads what it kept"
                remedy = f"run it with the code of {function.path} as it was"
                yield PropertyEdit(f"code of {function.path}", was, becomes, Verdict.UNKNOWN, why, remedy)
            elif before.run.is_run and not all(digests):
                self.unchecked.append(f"the code of {function.path}")

    def _accumulators(self, function: PythonFunction, old: int, new: int) -> Iterator[PropertyEdit]:
        before, after = self.both.old, self.both.new
        was = before.run.accumulator(before.name(old), function)
        becomes = after.run.accumulator(after.name(new), function)
        if was and becomes and was != becomes:
            why = f"the accumulators that {function.path} kept are values of another type"
            remedy = f"let its accumulator be {was}"
            yield PropertyEdit(f"accumulator of {function.path}", was, becomes, Verdict.INCOMPATIBLE, why, remedy)

    def _is_unexplained(self, old: int, new: int) -> bool:
        """Whether an operator differs from what it was though nothing that differs has been found."""
        before, after = self.both.old.operators.get(old), self.both.new.operators.get(new)
        if before is None or after is None or before.identity == after.identity:
            return False
        above = [self.edits[each] for each in self.both.new.before(new) if each in self.edits]
        was = {each for each in self.both.old.before(old) if each in self.both.old.uids}
        calm = (Change.KEPT, Change.MOVED, Change.TTL_CHANGED)
        return {each.old_node for each in above} == was and all(each.change in calm for each in above)


def rows_of_another(both: Both, above: int, stay: str) -> PropertyEdit:
    """The edit where rows come from an operator that was there, and came from another one before, whose rows `stay`."""
    words = words_of(both.new, above)
    why = f"rows from before came from another operator, and {stay}; from now on they come from {words}"
    return PropertyEdit("rows", "another operator", words, Verdict.PARTIAL, why)


def _findings(both: Both, old: int, new: int) -> Iterator[Judgement]:
    before, after = both.old.operators.get(old), both.new.operators.get(new)
    if before is None or after is None:
        return
    olds, news = ({each.name: each for each in side.properties} for side in (before, after))
    ports = both.old.ports(old), both.new.ports(new)
    if len(ports[0]) != len(ports[1]):
        why = "what is kept of each input has another place"
        yield Judgement(PropertyEdit("inputs", str(len(ports[0])), str(len(ports[1])), Verdict.INCOMPATIBLE, why))
        return
    appends = (both.old.input_appends(old, at) and both.new.input_appends(new, at) for at in range(len(ports[1])))
    pair = Pair(before, after, frozenset(at for at, both_append in enumerate(appends) if both_append))
    for name in dict.fromkeys([*olds, *news]):
        one, other = olds.get(name), news.get(name)
        edited = Edited(name, one, other, pair)
        differs = one is None or other is None or one.digest != other.digest
        if edited.present.subject not in _FLOWS and differs and (judgement := judged(edited)) is not None:
            yield judgement
    yield from _zones(pair)
    for at, (left, right) in enumerate(zip(*ports, strict=True)):
        yield from flow_findings(both, left, right, Words(_stay(after.kind), pair.appends(at), is_by_time(after)))


def _stay(name: str) -> str:
    """What rows do that an operator of a kind should not have: "stay counted in windows that are open"."""
    kind = kind_of(name)
    return kind.stay + kind.waiting.replace(" of ", " in ", 1)


def _zones(pair: Pair) -> Iterator[Judgement]:
    """Times that were cut into days or hours by another clock."""
    if pair.old.zones == pair.new.zones:
        return
    old, new = (", ".join(sorted(each.zones)) or "none" for each in (pair.old, pair.new))
    keys = [item for each in pair.new.properties if each.role is Role.KEY for item in each.items]
    if any(item.meaning is not None and item.meaning.zones for item in keys):
        why = "keys and windows from before were cut by the clock of the old zone"
        yield Judgement(PropertyEdit("time zone", old, new, Verdict.INCOMPATIBLE, why, _zone_remedy(pair.old)))
    else:
        why = "values from before were computed in the old zone"
        yield Judgement(PropertyEdit("time zone", old, new, Verdict.PARTIAL, why, _zone_remedy(pair.old)))


def _zone_remedy(operator: OperatorLineage) -> str:
    return f"give --time-zone {next(iter(operator.zones))}" if len(operator.zones) == 1 else ""


def _ttl_edits(both: Both, old: int, new: int) -> Iterator[TtlEdit]:
    before = {(each.index, each.name): each for each in both.old.plan.node(old).ttl_entries}
    for entry in both.new.plan.node(new).ttl_entries:
        former = before.get((entry.index, entry.name))
        if former is not None and former.ttl_ms != entry.ttl_ms:
            yield TtlEdit(entry.index, entry.name, former.ttl_ms, entry.ttl_ms)


def _removed(both: Both) -> Iterator[OperatorEdit]:
    for node in both.old.keeping:
        if node.id in both.matching.gone:
            edit = _operator_edit(Change.REMOVED, both.old, node.id, node.id, None, both.old.uids[node.id])
            yield replace(edit, why="its state is dropped")


def _operator_edit(
    change: Change, side: PlanSide, node: int, old: int | None, new: int | None, old_uid: str = ""
) -> OperatorEdit:
    return OperatorEdit(change, side.uids[node], side.kind(node), words_of(side, node), old, new, old_uid)
