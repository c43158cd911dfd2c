"""Determinism of updates: a retraction must equal the row that it retracts.

With `table.optimizer.non-deterministic-update.strategy` = `TRY_RESOLVE`, each operator states the columns of its inputs
whose values a retraction must repeat, from the sinks down. A lookup join that sends such a column stores the rows that
it joined; a function such as UUID() in such a column is refused.

Source of the rules: Flink's page "Determinism in Continuous Queries" and the plans of Flink 2.3.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import singledispatchmethod

from compiled_plan.planner.algebra.expressions import conjunction
from compiled_plan.planner.algebra.kinds import JoinKind
from compiled_plan.planner.catalog.connectors import metadata_columns
from compiled_plan.planner.functions.registry import is_deterministic
from compiled_plan.planner.physical.aggregate import PhysicalGroupAggregate
from compiled_plan.planner.physical.base import OperatorPlanner, PhysicalOperator
from compiled_plan.planner.physical.calc import PhysicalCalc, PhysicalExpand
from compiled_plan.planner.physical.changelog_function import PhysicalProcessTableFunction
from compiled_plan.planner.physical.correlate import PhysicalCorrelate
from compiled_plan.planner.physical.draft import Draft
from compiled_plan.planner.physical.joining import TwoSided
from compiled_plan.planner.physical.lookup_join import PhysicalLookupJoin
from compiled_plan.planner.physical.multi_join import PhysicalMultiJoin
from compiled_plan.planner.physical.over_aggregate import PhysicalOverAggregate
from compiled_plan.planner.physical.phases import (
    PhysicalGlobalGroupAggregate,
    PhysicalIncrementalGroupAggregate,
    PhysicalLocalGroupAggregate,
)
from compiled_plan.planner.physical.rank import PhysicalRank
from compiled_plan.planner.physical.scan import PhysicalChangelogNormalize, PhysicalTableSourceScan
from compiled_plan.planner.physical.sink import PhysicalSink, primary_key
from compiled_plan.planner.physical.traits import Key, Keys, Traits
from compiled_plan.planner.physical.update_kinds import SharedOperators
from compiled_plan.planner.physical.window_aggregate import PerWindow, PhysicalLocalWindowAggregate
from compiled_plan.plans.errors import ProgramError
from compiled_plan.plans.rex import RexNode, input_refs

STRATEGY = "table.optimizer.non-deterministic-update.strategy"
_NONE = Key()
_REMEDY = (
    "compute it before the rows are updated, use a deterministic function, or accept wrong retractions: "
    f"SET '{STRATEGY}' = 'IGNORE'"
)


def resolve_updates(draft: Draft) -> Draft:
    """The operators with lookup joins that store their rows where a retraction depends on them.

    Raises:
        ProgramError: a retraction depends on a value that changes from call to call.
    """
    visitor = _Visitor(draft.known)
    return draft.with_operators(visitor.visit(sink, _NONE) for sink in draft.operators)


class _Visitor:
    """Visits operators with the columns that must be deterministic; equal results are one operator."""

    def __init__(self, planner: OperatorPlanner) -> None:
        self._planner = planner
        self._shared = SharedOperators()
        self._done: dict[tuple[int, Key], PhysicalOperator] = {}
        self._normalized: set[int] = set()

    def visit(self, operator: PhysicalOperator, columns: Key) -> PhysicalOperator:
        place = (id(operator), columns)
        if place not in self._done:
            inputs = tuple(map(self._planner.traits, operator.inputs))
            operator = self._storing(operator, columns, inputs)
            needs = self._needs(operator, columns, inputs)
            visited = tuple(
                self.visit(child, _beside(traits.upsert_keys, Key(need)))
                for child, traits, need in zip(operator.inputs, inputs, needs, strict=True)
            )
            self._done[place] = self._shared.one(operator.with_inputs(visited))
        return self._done[place]

    def _storing(self, operator: PhysicalOperator, columns: Key, inputs: Sequence[Traits]) -> PhysicalOperator:
        if not isinstance(operator, PhysicalLookupJoin) or inputs[0].modify_kinds.insert_only:
            return operator
        looked_up = {column for column in columns if column >= operator.width}
        if not looked_up or (operator.by_primary_key and looked_up <= operator.primary_key):
            return operator
        return replace(operator, keeps_rows=True)

    @singledispatchmethod
    def _needs(self, operator: PhysicalOperator, columns: Key, inputs: Sequence[Traits]) -> Sequence[Iterable[int]]:
        """Per input, the columns that must be deterministic for `columns` of the output; by default the same ones."""
        return [_NONE if traits.modify_kinds.insert_only else columns for traits in inputs]

    @_needs.register
    def _(self, operator: PhysicalSink, columns: Key, inputs: Sequence[Traits]) -> Sequence[Iterable[int]]:
        if inputs[0].modify_kinds.insert_only:
            return [_NONE]
        by_row = operator.materialize or not operator.table.primary_key
        return [_all(operator.input) if by_row else primary_key(operator.table)]

    @_needs.register
    def _(self, operator: PhysicalCalc, columns: Key, inputs: Sequence[Traits]) -> Sequence[Iterable[int]]:
        if inputs[0].modify_kinds.insert_only or not columns:
            return [_NONE]
        _check_condition(operator.condition, operator)
        for column in sorted(columns):
            _check_column(operator.exprs[column], column, operator)
        return [{place for column in columns for place in input_refs(operator.exprs[column])}]

    @_needs.register
    def _(self, operator: PhysicalExpand, columns: Key, inputs: Sequence[Traits]) -> Sequence[Iterable[int]]:
        width = len(operator.input.row_type.fields)
        return [{column for column in columns if column < width}]

    @_needs.register
    def _(
        self, operator: PhysicalChangelogNormalize, columns: Key, inputs: Sequence[Traits]
    ) -> Sequence[Iterable[int]]:
        _check_condition(operator.condition, operator)
        source = operator.source
        while source.inputs:
            (source,) = source.inputs
        self._normalized.add(id(source))
        return [columns]

    @_needs.register
    def _(self, operator: PhysicalCorrelate, columns: Key, inputs: Sequence[Traits]) -> Sequence[Iterable[int]]:
        if inputs[0].modify_kinds.insert_only or not columns:
            return [_NONE]
        _check_condition(operator.condition, operator)
        width = len(operator.input.row_type.fields)
        for column in sorted(column for column in columns if column >= width):
            _check_column(operator.call, column, operator)
        return [{column for column in columns if column < width}]

    @_needs.register
    def _(self, operator: PhysicalLookupJoin, columns: Key, inputs: Sequence[Traits]) -> Sequence[Iterable[int]]:
        if inputs[0].modify_kinds.insert_only or not columns:
            return [_NONE]
        request = operator.request
        for condition in (operator.before, operator.condition, request.condition):
            _check_condition(condition, operator)
        for column in sorted(column for column in columns if column >= operator.width):
            if request.exprs is not None:
                _check_column(request.exprs[column - operator.width], column, operator)
        return [{column for column in columns if column < operator.width}]

    @_needs.register
    def _(self, operator: PhysicalTableSourceScan, columns: Key, inputs: Sequence[Traits]) -> Sequence[Iterable[int]]:
        metadata = {column.name for column in metadata_columns(operator.table)}
        wrong = [name for at, name in enumerate(operator.columns.names) if at in columns and name in metadata]
        inserts = self._planner.traits(operator).modify_kinds.insert_only
        # ChangelogNormalize retracts the row that it has stored, metadata included.
        if wrong and not inserts and id(operator) not in self._normalized:
            raise ProgramError(
                f"metadata ({', '.join(wrong)}) of {operator.table.identifier}, whose rows are updated, differs "
                "between a row and its retraction",
                where=str(operator.table.identifier),
                remedy=f"leave the metadata out, or SET '{STRATEGY}' = 'IGNORE'",
            )
        return []

    def _whole_rows(self, operator: PhysicalOperator, inputs: Sequence[Traits]) -> Sequence[Iterable[int]]:
        """All columns of inputs with updates: these are retracted from state by the whole row."""
        return [
            _NONE if traits.modify_kinds.insert_only else _all(child)
            for child, traits in zip(operator.inputs, inputs, strict=True)
        ]

    @_needs.register(PhysicalGroupAggregate)
    @_needs.register(PhysicalLocalGroupAggregate)
    @_needs.register(PhysicalGlobalGroupAggregate)
    @_needs.register(PhysicalIncrementalGroupAggregate)
    @_needs.register(PerWindow)
    @_needs.register(PhysicalLocalWindowAggregate)
    @_needs.register(PhysicalProcessTableFunction)
    def _(self, operator: PhysicalOperator, columns: Key, inputs: Sequence[Traits]) -> Sequence[Iterable[int]]:
        return self._whole_rows(operator, inputs)

    @_needs.register
    def _(self, operator: TwoSided, columns: Key, inputs: Sequence[Traits]) -> Sequence[Iterable[int]]:
        updated = not all(traits.modify_kinds.insert_only for traits in inputs)
        if updated or operator.kind not in (JoinKind.INNER, JoinKind.SEMI):
            _check_condition(conjunction(operator.keys.rest), operator)
        return self._by_side(operator, columns, inputs, [traits.upsert_keys for traits in inputs])

    @_needs.register
    def _(self, operator: PhysicalMultiJoin, columns: Key, inputs: Sequence[Traits]) -> Sequence[Iterable[int]]:
        updated = not all(traits.modify_kinds.insert_only for traits in inputs)
        if updated or JoinKind.LEFT in operator.join_kinds:
            for condition in operator.conditions:
                _check_condition(condition, operator)
        return self._by_side(operator, columns, inputs, [traits.local_keys for traits in inputs])

    def _by_side(
        self, operator: PhysicalOperator, columns: Key, inputs: Sequence[Traits], keys: Sequence[Keys]
    ) -> Sequence[Iterable[int]]:
        """The columns of each side; all columns of a side whose rows have no key."""
        needs: list[Iterable[int]] = []
        start = 0
        for child, whole, side_keys in zip(operator.inputs, self._whole_rows(operator, inputs), keys, strict=True):
            width = len(child.row_type.fields)
            own = {column - start for column in columns if start <= column < start + width}
            needs.append(own & set(whole) if side_keys else whole)
            start += width
        return needs

    @_needs.register
    def _(self, operator: PhysicalOverAggregate, columns: Key, inputs: Sequence[Traits]) -> Sequence[Iterable[int]]:
        if inputs[0].modify_kinds.insert_only:
            return [_NONE]
        width = len(operator.input.row_type.fields)
        needed = {column for column in columns if column < width} | set(operator.spec.partition)
        needed |= {key.index for key in operator.spec.order}
        for at, call in enumerate(operator.spec.calls):
            if width + at in columns:
                needed |= {arg for arg in call.args if arg < width}
                needed |= set() if call.filter is None else {call.filter}
        return [needed]

    @_needs.register
    def _(self, operator: PhysicalRank, columns: Key, inputs: Sequence[Traits]) -> Sequence[Iterable[int]]:
        if inputs[0].modify_kinds.insert_only:
            return [_NONE]
        if operator.update_keys is None:
            return [_all(operator.input)]
        width = len(operator.input.row_type.fields)
        ranked = {*operator.spec.partition, *(key.index for key in operator.spec.order)}
        return [{column for column in columns if column < width} - ranked]


def _all(operator: PhysicalOperator) -> range:
    return range(len(operator.row_type.fields))


def _beside(keys: Keys, columns: Key) -> Key:
    """The columns beside the upsert key that leaves the fewest: the columns of a key never change."""
    return min((columns - key for key in keys), key=lambda rest: (len(rest), sorted(rest)), default=columns)


def _check_condition(condition: RexNode | None, operator: PhysicalOperator) -> None:
    if condition is not None and not is_deterministic(condition):
        raise ProgramError(
            f"a condition over updated rows changes from call to call, in {operator.title()}", remedy=_REMEDY
        )


def _check_column(rex: RexNode, column: int, operator: PhysicalOperator) -> None:
    if not is_deterministic(rex):
        name = operator.row_type.names[column]
        raise ProgramError(
            f"column {name} of updated rows changes from call to call, so a retraction would miss its row, "
            f"in {operator.title()}",
            remedy=_REMEDY,
        )
