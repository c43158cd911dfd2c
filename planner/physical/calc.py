"""Projections and filters (one Calc per chain), grouping-set expansion, table functions, watermarks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from compiled_plan.planner.algebra.expressions import (
    conjunction,
    conjuncts,
    is_true,
    stays_small,
    substitute,
    without_nullable_casts,
)
from compiled_plan.planner.algebra.nodes import Expand, Filter, Project, RelNode, WatermarkAssigner
from compiled_plan.planner.algebra.rows import identity
from compiled_plan.planner.physical.base import (
    NewColumns,
    NodeContext,
    OperatorPlanner,
    PhysicalOperator,
    Single,
    lowers,
    make,
)
from compiled_plan.planner.physical.describe import rex_text, select_text
from compiled_plan.planner.physical.injective_casts import is_injective
from compiled_plan.planner.physical.plumbing import PhysicalValues
from compiled_plan.planner.physical.requirements import require_deterministic_column, require_deterministic_condition
from compiled_plan.planner.physical.scan import PhysicalChangelogNormalize, PhysicalTableSourceScan
from compiled_plan.planner.physical.traits import Key, Keys, Monotonicity, Traits, UpdateKind, map_keys
from compiled_plan.plans.nodes.base import PlanNode
from compiled_plan.plans.nodes.stateless import Calc as CalcNode
from compiled_plan.plans.nodes.stateless import Expand as ExpandNode
from compiled_plan.plans.nodes.stateless import WatermarkAssigner as WatermarkAssignerNode
from compiled_plan.plans.rex import (
    Call,
    InputRef,
    Literal,
    RexNode,
    input_refs,
    java_function,
    python_function,
    type_of,
    walk,
)
from compiled_plan.plans.types import RowType

#: Functions that return another value at every call.
_VOLATILE = frozenset(("$RAND$1", "$RAND_INTEGER$1", "$UUID$1"))


@dataclass(frozen=True, slots=True)
class PhysicalCalc(NewColumns):
    """Filters by `condition`, then computes `exprs`."""

    exprs: tuple[RexNode, ...]
    condition: RexNode | None

    def upsert_keys(self, inputs: tuple[Traits, ...]) -> Keys:
        return map_keys(inputs[0].upsert_keys, self._unchanged_columns())

    def monotonicity(self, inputs: tuple[Traits, ...]) -> tuple[Monotonicity, ...]:
        # A filter turns an update into a deletion, after which a value may come back smaller.
        input_moves = (
            inputs[0].monotonicity if self.condition is None else (Monotonicity.UNKNOWN,) * len(inputs[0].monotonicity)
        )
        return tuple(
            input_moves[rex.index] if isinstance(rex, InputRef) else Monotonicity.UNKNOWN for rex in self.exprs
        )

    def required_updates(self, wanted: UpdateKind, inputs: tuple[Traits, ...]) -> tuple[UpdateKind, ...] | None:
        # When an update leaves the filter, only the old row retracts the earlier output.
        return None if wanted is UpdateKind.AFTER and self.condition is not None else (wanted,)

    def deterministic_columns(self, columns: Key, inputs: tuple[Traits, ...]) -> Sequence[Iterable[int]]:
        if columns and not inputs[0].modify_kinds.insert_only:
            require_deterministic_condition(self, self.condition)
            for column in sorted(columns):
                require_deterministic_column(self, column, self.exprs[column])
        return [{place for column in columns for place in input_refs(self.exprs[column])}]

    def _unchanged_columns(self) -> dict[int, int]:
        """Input columns that are passed on unchanged, with their output positions."""
        places: dict[int, int] = {}
        for index, rex in enumerate(self.exprs):
            source = _same_value(rex)
            if source is not None:
                places.setdefault(source, index)
        return places

    def plan_node(self, at: NodeContext) -> PlanNode:
        return make(CalcNode)(
            **self.header(at),
            projection=self.exprs,
            condition=self.condition,
        )

    def title(self) -> str:
        names = self.input.row_type.names
        text = f"select=[{select_text(self.exprs, self.columns.names, names)}]"
        where = "" if self.condition is None else f", where=[{rex_text(self.condition, names)}]"
        return f"Calc({text}{where})"


def _same_value(rex: RexNode) -> int | None:
    """The input column whose values the expression returns unchanged, or cast so that they stay different; or None."""
    if isinstance(rex, InputRef):
        return rex.index
    if isinstance(rex, Call) and rex.name == "$CAST$1" and isinstance(rex.operands[0], InputRef):
        return rex.operands[0].index if is_injective(type_of(rex.operands[0]), rex.type) else None
    return None


@dataclass(frozen=True, slots=True)
class PhysicalWatermarkAssigner(Single):
    """Declares column `index` as the rowtime."""

    index: int
    watermark: RexNode
    columns: RowType

    @property
    def row_type(self) -> RowType:
        return self.columns

    def plan_node(self, at: NodeContext) -> PlanNode:
        return make(WatermarkAssignerNode)(
            **self.header(at),
            watermark_expr=self.watermark,
            rowtime_field_index=self.index,
        )

    def title(self) -> str:
        names = self.row_type.names
        return f"WatermarkAssigner(rowtime=[{names[self.index]}], watermark=[{rex_text(self.watermark, names)}])"


@dataclass(frozen=True, slots=True)
class PhysicalExpand(NewColumns):
    """Every row once per entry of `projects`."""

    projects: tuple[tuple[RexNode, ...], ...]

    def deterministic_columns(self, columns: Key, inputs: tuple[Traits, ...]) -> Sequence[Iterable[int]]:
        width = len(self.input.row_type.fields)
        return [{column for column in columns if column < width}]

    def plan_node(self, at: NodeContext) -> PlanNode:
        return make(ExpandNode)(
            **self.header(at),
            projects=self.projects,
        )

    def title(self) -> str:
        names = self.input.row_type.names
        rows = ", ".join("{" + _expand_row(row, self.columns.names, names) + "}" for row in self.projects)
        return f"Expand(projects=[{rows}])"


def _expand_row(row: Sequence[RexNode], names: Sequence[str], inputs: Sequence[str]) -> str:
    texts = []
    for rex, name in zip(row, names, strict=True):
        text = "null" if isinstance(rex, Literal) and rex.value is None else rex_text(rex, inputs)
        texts.append(text if text == name else f"{text} AS {name}")
    return ", ".join(texts)


@lowers(Project)
def _lower_project(rel: Project, at: OperatorPlanner) -> PhysicalOperator:
    return _calc(rel, at)


@lowers(Filter)
def _lower_filter(rel: Filter, at: OperatorPlanner) -> PhysicalOperator:
    return _calc(rel, at)


def _calc(rel: RelNode, at: OperatorPlanner) -> PhysicalOperator:
    """One Calc for a chain of projections and filters; none if it changes nothing."""
    exprs: tuple[RexNode, ...] = identity(rel.row_type)
    conditions: list[RexNode] = []
    columns = rel.row_type
    below = rel
    shared = False
    while isinstance(below, Project | Filter):
        shared = shared or (below is not rel and at.is_shared(below))
        if isinstance(below, Filter):
            conditions = conjuncts(below.condition) + conditions
        elif not _may_merge([*exprs, *conditions], below.exprs):
            break
        else:
            exprs = tuple(substitute(rex, below.exprs) for rex in exprs)
            conditions = [substitute(rex, below.exprs) for rex in conditions]
        below = below.input
    exprs = tuple(map(without_nullable_casts, exprs))
    conditions = [without_nullable_casts(rex, inside=True) for rex in conditions]
    source = at.lower(below)
    if isinstance(source, PhysicalChangelogNormalize) and not shared and not at.is_shared(below):
        # ChangelogNormalize holds both rows of an update, so it can filter each of them.
        condition = conjunction([*conjuncts(source.condition), *conditions])
        source, conditions = replace(source, condition=None if is_true(condition) else condition), []
        kept_keys = _unchanged_keys(source, exprs)
        if kept_keys is not None:
            return source.over(calc_over(source.source, exprs, None, columns), kept_keys)
    return calc_over(source, exprs, conjunction(conditions), columns)


def _unchanged_keys(source: PhysicalChangelogNormalize, exprs: Sequence[RexNode]) -> tuple[int, ...] | None:
    """The positions of a normalized changelog's keys among `exprs`, if these only select columns; else None.

    Changes of unselected columns alone are then dropped.
    """
    places = [rex.index for rex in exprs if isinstance(rex, InputRef)]
    if (
        isinstance(source.source, PhysicalTableSourceScan)
        or source.condition is not None
        or len(set(places)) != len(exprs)
    ):
        return None
    return tuple(places.index(key) for key in source.keys) if set(source.keys) <= set(places) else None


def _may_merge(above: Sequence[RexNode], below: Sequence[RexNode]) -> bool:
    """Return True if expressions over a projection may be inlined into expressions over its input.

    False if a volatile value would be computed twice, or if the expressions would grow too large.
    """
    plain = len(above) == len(below) and all(isinstance(rex, InputRef) for rex in above)
    if not plain and any(map(_is_volatile, below)):
        return False
    return stays_small(above, below)


def _is_volatile(rex: RexNode) -> bool:
    """Return True if two evaluations of the expression over one row may differ."""
    return any(isinstance(node, Call) and (node.name in _VOLATILE or _changes(node)) for node in walk(rex))


def _changes(call: Call) -> bool:
    function = python_function(call) or java_function(call)
    return function is not None and not function.deterministic


def calc_over(
    source: PhysicalOperator, exprs: tuple[RexNode, ...], condition: RexNode | None, columns: RowType
) -> PhysicalOperator:
    """A Calc, or `source` itself if the Calc would change nothing."""
    if isinstance(source, PhysicalCalc) and _may_merge([*exprs, *conjuncts(condition)], source.exprs):
        exprs = tuple(substitute(rex, source.exprs) for rex in exprs)
        own = [substitute(part, source.exprs) for part in conjuncts(condition)]
        return calc_over(source.input, exprs, conjunction([*conjuncts(source.condition), *own]), columns)
    input_type = source.row_type
    if is_true(condition):
        condition = None
        plain = all(isinstance(rex, InputRef) and rex.index == at for at, rex in enumerate(exprs))
        if plain and len(exprs) == len(input_type.fields) and _same_types(input_type, columns):
            # Constant rows take the query's column names; elsewhere renaming alone needs no operator.
            return replace(source, columns=columns) if isinstance(source, PhysicalValues) else source
    return PhysicalCalc(source, exprs, condition, columns=columns)


def _same_types(input_type: RowType, columns: RowType) -> bool:
    return all(
        left.with_nullability(True) == right.with_nullability(True)
        for left, right in zip(input_type.types, columns.types, strict=True)
    )


@lowers(WatermarkAssigner)
def _lower_watermarks(rel: WatermarkAssigner, at: OperatorPlanner) -> PhysicalOperator:
    source = at.lower(rel.input)
    if isinstance(source, PhysicalChangelogNormalize) and not at.is_shared(rel.input):
        # The watermark is assigned before normalization, in order of arrival.
        return source.over(PhysicalWatermarkAssigner(source.source, rel.index, rel.watermark, rel.columns), source.keys)
    return PhysicalWatermarkAssigner(source, rel.index, rel.watermark, rel.columns)


@lowers(Expand)
def _lower_expand(rel: Expand, at: OperatorPlanner) -> PhysicalOperator:
    return PhysicalExpand(at.lower(rel.input), rel.projects, columns=rel.columns)
