"""Temporal joins: each left row with the version of the right table that is valid at its time."""

from __future__ import annotations

from dataclasses import dataclass

from compiled_plan.planner.algebra.expressions import TRUE, conjunction
from compiled_plan.planner.algebra.nodes import Filter, Project, RelNode, Scan, WatermarkAssigner
from compiled_plan.planner.algebra.timed import TemporalJoin
from compiled_plan.planner.physical.base import NodeContext, OperatorPlanner, PhysicalOperator, lowers, make
from compiled_plan.planner.physical.calc import calc_over
from compiled_plan.planner.physical.describe import names_text, rex_text
from compiled_plan.planner.physical.joining import JOIN_TITLES, EquiKeys, TwoSided, equi_keys
from compiled_plan.planner.physical.lookup_join import as_lookup_join
from compiled_plan.planner.physical.plumbing import PhysicalExchange
from compiled_plan.planner.physical.scan import PhysicalChangelogNormalize
from compiled_plan.planner.physical.traits import Key, Keys, ModifyKinds, Traits, UpdateKind
from compiled_plan.plans.errors import ProgramError, UnsupportedError
from compiled_plan.plans.nodes.base import PlanNode
from compiled_plan.plans.nodes.join import TemporalJoin as TemporalJoinNode
from compiled_plan.plans.nodes.specs import JoinSpec
from compiled_plan.plans.rex import Call, RexNode, type_of
from compiled_plan.plans.types import BOOLEAN


@dataclass(frozen=True, slots=True, kw_only=True)
class PhysicalTemporalJoin(TwoSided):
    """A temporal join by event time; changes of the left side pass through, those of the right are its versions."""

    primary_key: tuple[int, ...]
    time: int
    version: int

    @property
    def needs_watermark(self) -> bool:
        return True

    def modify_kinds(self, inputs: tuple[Traits, ...]) -> ModifyKinds:
        return inputs[0].modify_kinds

    def upsert_keys(self, inputs: tuple[Traits, ...]) -> Keys:
        return inputs[0].upsert_keys

    def required_updates(self, wanted: UpdateKind, inputs: tuple[Traits, ...]) -> tuple[UpdateKind, ...] | None:
        return (wanted, UpdateKind.AFTER)

    def takes_old_rows(self, side: int) -> bool:
        return side == 1

    def plan_node(self, at: NodeContext) -> PlanNode:
        spec = make(JoinSpec)(
            join_type=self.kind.value,
            left_keys=self.keys.left,
            right_keys=self.keys.right,
            filter_nulls=(True,) * len(self.keys.left),
            non_equi_condition=_residual(self.keys.rest),
        )
        return make(TemporalJoinNode)(
            **self.header(at),
            join_spec=spec,
            is_temporal_function_join=False,
            left_time_attribute_index=self.time,
            right_time_attribute_index=self.version,
        )

    def title(self) -> str:
        names = self.columns.names
        width = len(self.left.row_type.fields)
        left_names = [names[index] for index in self.keys.left]
        right_names = [names[width + index] for index in self.keys.right]
        primary = names_text((width + index for index in self.primary_key), names)
        parts = [f"({left} = {right})" for left, right in zip(left_names, right_names, strict=True)]
        parts += [rex_text(item, names) for item in self.keys.rest]
        parts.append(
            f"__TEMPORAL_JOIN_CONDITION({names[self.time]}, {names[width + self.version]}, "
            f"__TEMPORAL_JOIN_CONDITION_PRIMARY_KEY({primary}), __TEMPORAL_JOIN_LEFT_KEY({', '.join(left_names)}), "
            f"__TEMPORAL_JOIN_RIGHT_KEY({', '.join(right_names)}))"
        )
        where = " AND ".join(parts)
        return f"TemporalJoin(joinType=[{JOIN_TITLES[self.kind]}], where=[({where})], select=[{', '.join(names)}])"


def _residual(rest: tuple[RexNode, ...]) -> RexNode | None:
    """The remaining conjuncts in Flink's form, with TRUE for the condition on the times."""
    if not rest:
        return None
    return Call("$AND$1", (*rest, TRUE), BOOLEAN.with_nullability(type_of(conjunction(rest)).nullable), "BINARY")


@lowers(TemporalJoin)
def _lower_temporal_join(rel: TemporalJoin, at: OperatorPlanner) -> PhysicalOperator:
    lookup = as_lookup_join(rel, at)
    if lookup is not None:
        return lookup
    keys = equi_keys(rel.condition, len(rel.left.row_type.fields))
    if not keys.left:
        raise ProgramError(
            "the join key in a temporal table join cannot be empty",
            remedy="compare the primary key of the versioned table with columns of the left one in ON",
        )
    if rel.version is None:
        raise UnsupportedError(
            "a processing-time temporal join is not supported",
            remedy="join as of a rowtime, with a WATERMARK on both tables, or with a table that can be looked up: "
            "'connector' = 'jdbc'",
        )
    _refuse_filter(rel.right, at.traits(at.lower(rel.right)).modify_kinds)
    left, right = at.lower(rel.left), _versions(rel.right, at)
    primary = _primary_key(keys, at.traits(right).upsert_keys)
    return PhysicalTemporalJoin(
        left=PhysicalExchange(left, keys.left),
        right=PhysicalExchange(right, keys.right),
        kind=rel.kind,
        keys=keys,
        primary_key=primary,
        time=rel.time,
        version=rel.version,
        columns=rel.row_type,
    )


def _primary_key(keys: EquiKeys, unique: Keys) -> tuple[int, ...]:
    """The key of the versions, which the join must compare.

    Raises:
        ProgramError: the join compares no key of the versions.
    """
    joined = Key(keys.right)
    for key in sorted(unique, key=lambda key: (len(key), sorted(key))):
        if key and key <= joined:
            return tuple(sorted(key))
    raise ProgramError(
        "temporal table join requires primary key in versioned table, but no primary key can be found",
        remedy="declare PRIMARY KEY (...) NOT ENFORCED on the table, and compare all its columns in ON",
    )


def _versions(rel: RelNode, at: OperatorPlanner) -> PhysicalOperator:
    """The right side; a source's changes are versions already, so they are not normalized."""
    versions = at.lower(rel)
    if isinstance(versions, PhysicalChangelogNormalize):
        return versions.source
    if isinstance(rel, Project) and isinstance(_source(rel), Scan):
        return calc_over(_versions(rel.input, at), rel.exprs, None, rel.columns)
    return versions


def _refuse_filter(rel: RelNode, kinds: ModifyKinds) -> None:
    """Raise for a filter between a changing table and the join, which would remove versions.

    Raises:
        ProgramError: there is one.
    """
    if kinds.insert_only or not isinstance(_source(rel), Scan):
        return
    while isinstance(rel, Project | Filter | WatermarkAssigner):
        if isinstance(rel, Filter):
            raise ProgramError(
                "a filter is not allowed on the versioned table of an event-time temporal join: "
                "it would corrupt the versions",
                remedy="filter the result of the join",
            )
        rel = rel.input


def _source(rel: RelNode) -> RelNode:
    while isinstance(rel, Project | Filter | WatermarkAssigner):
        rel = rel.input
    return rel
