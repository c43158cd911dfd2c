"""The two plans of a difference, each with what its operators mean and are called."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from compiled_plan.plans.inspection.changes import append_only
from compiled_plan.plans.inspection.diff.facts import NO_RUN, RunFacts
from compiled_plan.plans.inspection.identity import derived_uids, keeps_state
from compiled_plan.plans.inspection.lineage.matching import How, Match, Matching, match_operators
from compiled_plan.plans.inspection.lineage.meaning import Meaning
from compiled_plan.plans.inspection.lineage.operators import Lineage, OperatorLineage
from compiled_plan.plans.inspection.lineage.plans import lineage_of
from compiled_plan.plans.inspection.lineage.rows import Port, sides
from compiled_plan.plans.inspection.lineage.same_tables import same_tables, tables_of, tellings
from compiled_plan.plans.inspection.lineage.table_identity import Telling
from compiled_plan.plans.nodes.base import PlanNode
from compiled_plan.plans.plan import CompiledPlan
from compiled_plan.plans.plan.session_options import UTC, with_zone


def is_by_time(operator: OperatorLineage) -> bool:
    """Whether an operator works by watermarks."""
    found = operator.property("watermark")
    return found is not None and bool(found.items)


#: What rows come from in the end.
_LEAVES = ("table", "values")


@dataclass(frozen=True)
class PlanSide:
    """A plan with what is known of it."""

    plan: CompiledPlan
    telling: Telling  # what makes a table that very table
    run: RunFacts = NO_RUN

    @cached_property
    def lineage(self) -> Lineage:
        """What operators mean."""
        return lineage_of(self.plan, self.run.place, self.telling)

    @cached_property
    def operators(self) -> Mapping[int, OperatorLineage]:
        """The operators by node id, sinks that take rows back among them."""
        return {each.node: each for each in self.lineage.operators}

    @cached_property
    def uids(self) -> Mapping[int, str]:
        """The name of every operator that keeps state: its own, or the one that it gets when it is loaded."""
        return derived_uids(self.plan)

    @cached_property
    def keeping(self) -> tuple[PlanNode, ...]:
        """The nodes that keep state, in the order of the plan."""
        return tuple(node for node in self.plan.in_order if keeps_state(node))

    @cached_property
    def appends(self) -> frozenset[int]:
        """The nodes that never take a row back."""
        return append_only(self.plan)

    @cached_property
    def has_watermarks(self) -> bool:
        """Whether an operator works by watermarks."""
        return any(is_by_time(operator) for operator in self.operators.values())

    @cached_property
    def leaves(self) -> frozenset[str]:
        """Digests of the tables and constant rows that are read."""
        return frozenset(
            branch.origin.digest
            for node in self.plan.nodes
            if not self.plan.inputs(node)
            for branch in self.lineage.flows[node.id]
        )

    @cached_property
    def first_phases(self) -> tuple[PlanNode, ...]:
        """The nodes that have state entries and keep nothing here: the operator behind them keeps it all."""
        return tuple(node for node in self.keeping if node.id not in self.operators)

    def kind(self, node: int) -> str:
        """What an operator does, "group-aggregate"."""
        operator = self.operators.get(node)
        return operator.kind if operator is not None else self.plan.node(node).kind

    def name(self, node: int) -> str:
        """The uid of an operator; of a sink that keeps nothing its table's name."""
        return self.operators[node].uid or self.uids.get(node, "")

    def ports(self, node: int) -> tuple[Port, ...]:
        """What comes to a node, by input."""
        return sides([self.lineage.flows[below.id] for below in self.plan.inputs(node)])

    def input_appends(self, node: int, at: int = 0) -> bool:
        """Whether no row that comes to an input is ever taken back."""
        return self.plan.inputs(node)[at].id in self.appends

    def last_phase(self, node: int) -> int:
        """The operator that keeps what a first phase adds up; -1 where there is none."""
        return next((each for each in self.behind(node) if each in self.operators), -1)

    def before(self, node: int) -> Iterator[int]:
        """The operators and sources that a node's rows come from, past what keeps nothing."""
        return self._nearest(self.plan.inputs, node)

    def behind(self, node: int) -> Iterator[int]:
        """The operators and sinks that a node's rows go to, past what keeps nothing."""
        return self._nearest(self.plan.consumers, node)

    def _nearest(self, next_to: Callable[[int], tuple[PlanNode, ...]], node: int) -> Iterator[int]:
        open_, seen = [each.id for each in reversed(next_to(node))], set[int]()
        while open_:
            found = open_.pop()
            if found in seen:
                continue
            seen.add(found)
            further = next_to(found)
            if found in self.operators or not further:
                yield found
            else:
                open_ += [each.id for each in reversed(further)]


@dataclass(frozen=True)
class Both:
    """Two plans, and which operators of one are those of the other."""

    old: PlanSide  # the plan that was there
    new: PlanSide  # the one to come
    tables: Mapping[str, str]  # full names of new tables -> those of the old tables that they are

    @classmethod
    def of(cls, old: CompiledPlan, new: CompiledPlan, runs: tuple[RunFacts, RunFacts] = (NO_RUN, NO_RUN)) -> Both:
        """Two plans beside each other, in the time zone that each runs in."""
        old, new = (with_zone(plan, otherwise=UTC) for plan in (old, new))
        places = runs[0].place, runs[1].place
        before, after = tellings(old, new, places)
        same = same_tables(tables_of(old), tables_of(new), places)
        return cls(PlanSide(old, before, runs[0]), PlanSide(new, after, runs[1]), same)

    @cached_property
    def matching(self) -> Matching:
        """By uid, then by lineage, then by likeness; a first phase by its uid, then as that of its last phase."""
        olds = {uid: node for node, uid in self.old.uids.items()}
        named = {node: olds[uid] for node, uid in self.new.uids.items() if uid in olds}
        lineages = self.old.lineage, self.new.lineage
        found = match_operators(self.old.plan, self.new.plan, named, lineages, loose=True)
        last = {each.new: each.old for each in found.matches}
        phases = dict(self._phases(named, last))
        taken = set(phases.values())
        return Matching(
            (*found.matches, *(Match(old, new, How.NAME) for new, old in phases.items())),
            (*found.gone, *(each.id for each in self.old.first_phases if each.id not in taken)),
            (*found.added, *(each.id for each in self.new.first_phases if each.id not in phases)),
        )

    def _phases(self, named: Mapping[int, int], last: Mapping[int, int]) -> Iterator[tuple[int, int]]:
        """Which first phase of the old plan one of the new plan is."""
        free = {each.id: each for each in self.old.first_phases}
        for node in self.new.first_phases:
            behind = last.get(self.new.last_phase(node.id))
            found = next((id_ for id_ in free if self.old.last_phase(id_) == behind), None)
            found = named[node.id] if named.get(node.id) in free else found
            if found is not None and free[found].kind == node.kind:
                del free[found]
                yield node.id, found

    @cached_property
    def matches(self) -> Mapping[int, Match]:
        """The matches by node of the new plan."""
        return {each.new: each for each in self.matching.matches}

    @cached_property
    def keeps_the_same(self) -> bool:
        """Whether every operator that keeps state is in both plans, with the same above it."""
        pairs = {each.new: each.old for each in self.matching.matches}
        before, after = (
            {node.id for node in side.keeping if node.id in side.operators} for side in (self.old, self.new)
        )
        return {pairs.get(node) for node in after} == before and all(
            self.old.operators[pairs[node]].identity == self.new.operators[node].identity for node in after
        )

    def strangers(self, old: int, new: int) -> tuple[int, ...]:
        """Operators that were there and whose rows come to a node now, but did not come to it before.

        Names of rows do not tell: filters in front of an operator are no part of it, so two may give rows of one name.
        """
        before = set(self.old.before(old))
        above = (each for each in self.new.before(new) if each in self.new.operators and each in self.matches)
        return tuple(each for each in above if self.matches[each].old not in before)

    @cached_property
    def _going_on(self) -> frozenset[tuple[str, str]]:
        """Of operators that go on, what the rows that they gave are called and those that they are to give."""
        return frozenset(
            (old.origin.digest, new.origin.digest)
            for each in self.matching.matches
            for old, new in zip(self.old.lineage.flows[each.old], self.new.lineage.flows[each.new], strict=False)
        )

    def continues(self, old: Meaning, new: Meaning) -> bool:
        """True if rows are of the same operator or table, however that was edited."""
        open_ = [(old, new)]
        while open_:
            one, other = open_.pop()
            if one.digest == other.digest or (one.digest, other.digest) in self._going_on:
                continue
            alike = (one.head, one.plain, len(one.parts)) == (other.head, other.plain, len(other.parts))
            if not alike or one.head in _LEAVES or not one.parts:
                return False
            open_ += zip(one.parts, other.parts, strict=True)
        return True

    def is_fresh(self, rows: Meaning) -> bool:
        """Whether rows come from nothing but tables that the old plan did not read: from their beginning."""
        return all(each not in self.old.leaves for each in leaves_of(rows))


def leaves_of(rows: Meaning) -> Iterator[str]:
    """Digests of the tables and constant rows that rows come from."""
    open_ = [rows]
    while open_:
        found = open_.pop()
        if found.head in _LEAVES:
            yield found.digest
        else:
            open_ += found.parts
