"""The two plans of a difference, with the lineage and the labels of their operators."""

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
from compiled_plan.plans.inspection.lineage.same_tables import same_tables, table_identities, tables_of
from compiled_plan.plans.inspection.lineage.table_identity import TableIdentity
from compiled_plan.plans.nodes.base import PlanNode
from compiled_plan.plans.nodes.sink import Sink
from compiled_plan.plans.plan import CompiledPlan
from compiled_plan.plans.plan.session_options import UTC, with_zone


def is_by_time(operator: OperatorLineage) -> bool:
    """Return True if an operator is driven by watermarks."""
    watermark = operator.property("watermark")
    return watermark is not None and bool(watermark.items)


#: Heads of the meanings at which rows originate.
_LEAVES = ("table", "values")


@dataclass(frozen=True)
class PlanSide:
    """A plan with derived facts."""

    plan: CompiledPlan
    identity_of: TableIdentity  # identifies tables across the two plans
    run: RunFacts = NO_RUN

    @cached_property
    def lineage(self) -> Lineage:
        return lineage_of(self.plan, self.run.place, self.identity_of)

    @cached_property
    def operators(self) -> Mapping[int, OperatorLineage]:
        """The operators by node id, including sinks that retract rows."""
        return {operator.node: operator for operator in self.lineage.operators}

    @cached_property
    def uids(self) -> Mapping[int, str]:
        """The uid of every stateful operator: its own, or the one derived at load time."""
        return derived_uids(self.plan)

    @cached_property
    def stateful(self) -> tuple[PlanNode, ...]:
        """The stateful nodes, in the order of the plan."""
        return tuple(node for node in self.plan.in_order if keeps_state(node))

    @cached_property
    def appends(self) -> frozenset[int]:
        """The nodes that never retract a row."""
        return append_only(self.plan)

    @cached_property
    def has_watermarks(self) -> bool:
        """Return True if an operator is driven by watermarks."""
        return any(is_by_time(operator) for operator in self.operators.values())

    @cached_property
    def leaves(self) -> frozenset[str]:
        """Digests of the source tables and constant rows."""
        return frozenset(
            branch.origin.digest
            for node in self.plan.nodes
            if not self.plan.inputs(node)
            for branch in self.lineage.flows[node.id]
        )

    @cached_property
    def first_phases(self) -> tuple[PlanNode, ...]:
        """The nodes with state entries but no state of their own here: a downstream operator holds it all."""
        return tuple(node for node in self.stateful if node.id not in self.operators)

    def kind(self, node: int) -> str:
        """Kind of an operator, "group-aggregate"."""
        operator = self.operators.get(node)
        return operator.kind if operator is not None else self.plan.node(node).kind

    def name(self, node: int) -> str:
        """The uid of an operator; the table name of a stateless sink."""
        return self.operators[node].uid or self.uids.get(node, "")

    def ports(self, node: int) -> tuple[Port, ...]:
        """The rows that a node receives, by input."""
        return sides([self.lineage.flows[below.id] for below in self.plan.inputs(node)])

    def input_appends(self, node: int, at: int = 0) -> bool:
        """Return True if the rows of an input are never retracted."""
        return self.plan.inputs(node)[at].id in self.appends

    def last_phase(self, node: int) -> int:
        """The operator that holds the state of a first phase; -1 if there is none."""
        return next((candidate for candidate in self.behind(node) if candidate in self.operators), -1)

    def before(self, node: int) -> Iterator[int]:
        """The nearest stateful operators and sources upstream of a node."""
        return self._nearest(self.plan.inputs, node)

    def behind(self, node: int) -> Iterator[int]:
        """The nearest stateful operators and sinks downstream of a node."""
        return self._nearest(self.plan.consumers, node)

    def _nearest(self, next_to: Callable[[int], tuple[PlanNode, ...]], node: int) -> Iterator[int]:
        open_, seen = [neighbour.id for neighbour in reversed(next_to(node))], set[int]()
        while open_:
            current = open_.pop()
            if current in seen:
                continue
            seen.add(current)
            further = next_to(current)
            if current in self.operators or not further:
                yield current
            else:
                open_ += [neighbour.id for neighbour in reversed(further)]


@dataclass(frozen=True)
class PlanPair:
    """Two plans and the matches between their operators."""

    old: PlanSide  # the previous plan
    new: PlanSide  # the new plan
    tables: Mapping[str, str]  # full names of new tables -> those of the same tables in the old plan

    @classmethod
    def of(cls, old: CompiledPlan, new: CompiledPlan, runs: tuple[RunFacts, RunFacts] = (NO_RUN, NO_RUN)) -> PlanPair:
        """Pair two plans, each in the time zone of its run."""
        old, new = (with_zone(plan, otherwise=UTC) for plan in (old, new))
        places = runs[0].place, runs[1].place
        before, after = table_identities(old, new, places)
        same = same_tables(tables_of(old), tables_of(new), places)
        return cls(PlanSide(old, before, runs[0]), PlanSide(new, after, runs[1]), same)

    @cached_property
    def matching(self) -> Matching:
        """Matches by uid, then by lineage, then by similarity; of a first phase by uid, then by its last phase."""
        olds = {uid: node for node, uid in self.old.uids.items()}
        named = {node: olds[uid] for node, uid in self.new.uids.items() if uid in olds}
        lineages = self.old.lineage, self.new.lineage
        stateful = match_operators(self.old.plan, self.new.plan, named, lineages, loose=True)
        last = {match_.new: match_.old for match_ in stateful.matches}
        phases = dict(self._phases(named, last))
        taken = set(phases.values())
        return Matching(
            (*stateful.matches, *(Match(old, new, How.NAME) for new, old in phases.items())),
            (*stateful.gone, *(node.id for node in self.old.first_phases if node.id not in taken)),
            (*stateful.added, *(node.id for node in self.new.first_phases if node.id not in phases)),
        )

    def _phases(self, named: Mapping[int, int], last: Mapping[int, int]) -> Iterator[tuple[int, int]]:
        """Pairs of first phases, new and old."""
        free = {node.id: node for node in self.old.first_phases}
        for node in self.new.first_phases:
            behind = last.get(self.new.last_phase(node.id))
            partner = next((id_ for id_ in free if self.old.last_phase(id_) == behind), None)
            partner = named[node.id] if named.get(node.id) in free else partner
            if partner is not None and free[partner].kind == node.kind:
                del free[partner]
                yield node.id, partner

    @cached_property
    def sinks(self) -> Mapping[int, int]:
        """By sink of the new plan, the old one; of several into one table, one that writes the same rows first."""
        former: dict[int, int] = {}
        free = [node for node in self.old.plan.in_order if isinstance(node, Sink)]
        for node in self.new.plan.in_order:
            if isinstance(node, Sink):
                same = [candidate for candidate in free if self._writes_the_same(candidate, node)]
                rows = self.new.lineage.rows[node.id]
                equal = (candidate for candidate in same if self.old.lineage.rows[candidate.id] == rows)
                for candidate in [*equal, *same][:1]:
                    former[node.id] = candidate.id
                    free.remove(candidate)
        return former

    def _writes_the_same(self, old: Sink, new: Sink) -> bool:
        tables = old.dynamic_table_sink.table, new.dynamic_table_sink.table
        return dict(self.old.identity_of(tables[0])) == dict(self.new.identity_of(tables[1]))

    @cached_property
    def matches(self) -> Mapping[int, Match]:
        """The matches by node of the new plan."""
        return {match_.new: match_ for match_ in self.matching.matches}

    @cached_property
    def keeps_the_same(self) -> bool:
        """Return True if every stateful operator is in both plans, with the same operators upstream."""
        pairs = {match_.new: match_.old for match_ in self.matching.matches}
        before, after = (
            {node.id for node in side.stateful if node.id in side.operators} for side in (self.old, self.new)
        )
        return {pairs.get(node) for node in after} == before and all(
            self.old.operators[pairs[node]].identity == self.new.operators[node].identity for node in after
        )

    def rerouted(self, old: int, new: int) -> tuple[int, ...]:
        """Existing operators whose rows reach a node now, but did not before.

        Digests of rows do not identify them: filters in front of an operator are not part of it, so two operators may
        emit rows with one digest.
        """
        before = set(self.old.before(old))
        above = (node for node in self.new.before(new) if node in self.new.operators and node in self.matches)
        return tuple(node for node in above if self.matches[node].old not in before)

    @cached_property
    def _continuations(self) -> frozenset[tuple[str, str]]:
        """Pairs of digests of the old and the new output of matched operators."""
        return frozenset(
            (old.origin.digest, new.origin.digest)
            for match_ in self.matching.matches
            for old, new in zip(self.old.lineage.flows[match_.old], self.new.lineage.flows[match_.new], strict=False)
        )

    def continues(self, old: Meaning, new: Meaning) -> bool:
        """Return True if rows are of the same operator or table, despite edits."""
        open_ = [(old, new)]
        while open_:
            old_part, new_part = open_.pop()
            if old_part.digest == new_part.digest or (old_part.digest, new_part.digest) in self._continuations:
                continue
            alike = (old_part.head, old_part.plain, len(old_part.parts)) == (
                new_part.head,
                new_part.plain,
                len(new_part.parts),
            )
            if not alike or old_part.head in _LEAVES or not old_part.parts:
                return False
            open_ += zip(old_part.parts, new_part.parts, strict=True)
        return True

    def is_fresh(self, rows: Meaning) -> bool:
        """Return True if rows come only from tables that the old plan did not read, which start at their beginning."""
        return all(leaf not in self.old.leaves for leaf in leaves_of(rows))


def leaves_of(rows: Meaning) -> Iterator[str]:
    """Digests of the tables and constant rows that rows originate from."""
    open_ = [rows]
    while open_:
        current = open_.pop()
        if current.head in _LEAVES:
            yield current.digest
        else:
            open_ += current.parts
