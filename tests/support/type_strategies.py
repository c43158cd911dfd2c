"""Random logical types and row expressions."""

from __future__ import annotations

from hypothesis import strategies as st

from compiled_plan.plans import types as t
from compiled_plan.plans.rex import Call, InputRef, Literal, Range, RexNode, Sarg

_NAMES = st.text(st.characters(codec="utf-8", exclude_categories=["Cs", "Cc"]), min_size=1, max_size=8)
_PLAIN = (t.BOOLEAN, t.TINYINT, t.SMALLINT, t.INT, t.BIGINT, t.FLOAT, t.DOUBLE, t.DATE, t.NULL, t.STRING, t.BYTES)
_LENGTHS = st.integers(1, t.MAX_LENGTH)


def _decimals() -> st.SearchStrategy[t.LogicalType]:
    sizes = st.integers(1, 38).flatmap(lambda p: st.tuples(st.just(p), st.integers(0, p)))
    return sizes.map(lambda size: t.DecimalType(precision=size[0], scale=size[1]))


LEAVES: st.SearchStrategy[t.LogicalType] = st.one_of(
    st.sampled_from(_PLAIN),
    _decimals(),
    st.builds(t.CharType, length=_LENGTHS),
    st.builds(t.VarCharType, length=_LENGTHS),
    st.builds(t.BinaryType, length=_LENGTHS),
    st.builds(t.VarBinaryType, length=_LENGTHS),
    st.builds(t.TimeType, precision=st.integers(0, 9)),
    st.builds(t.TimestampType, precision=st.integers(0, 9)),
    st.builds(t.TimestampLtzType, precision=st.integers(0, 9)),
    st.builds(t.TimestampTzType, precision=st.integers(0, 9)),
    st.sampled_from(["YEAR(3)", "MONTH", "YEAR(2) TO MONTH"]).map(lambda r: t.YearMonthIntervalType(resolution=r)),
    st.sampled_from(["DAY(3) TO SECOND(6)", "HOUR", "SECOND(3)"]).map(lambda r: t.DayTimeIntervalType(resolution=r)),
)
TIMES = st.builds(t.TimestampType, precision=st.integers(0, 9), kind=st.sampled_from(list(t.TimeKind))) | st.builds(
    t.TimestampLtzType, precision=st.integers(0, 9), kind=st.sampled_from(list(t.TimeKind))
)


def _nullability(types: st.SearchStrategy[t.LogicalType]) -> st.SearchStrategy[t.LogicalType]:
    return st.tuples(types, st.booleans()).map(lambda pair: pair[0].with_nullability(pair[1]))


def _fields(types: st.SearchStrategy[t.LogicalType]) -> st.SearchStrategy[tuple[t.Field, ...]]:
    field = st.builds(t.Field, name=_NAMES, type=types, comment=st.none() | _NAMES)
    return st.lists(field, min_size=1, max_size=4, unique_by=lambda it: it.name).map(tuple)


def _nested(types: st.SearchStrategy[t.LogicalType]) -> st.SearchStrategy[t.LogicalType]:
    return _nullability(
        st.one_of(
            st.builds(t.ArrayType, element=types),
            st.builds(t.MultisetType, element=types),
            st.builds(t.MapType, key=types, value=types),
            st.builds(t.RowType, fields=_fields(types)),
            st.builds(t.StructuredType, class_name=_NAMES, fields=_fields(types)),
        )
    )


#: Types with an SQL text.
TYPES = st.recursive(_nullability(LEAVES), _nested, max_leaves=6)
_EMPTY = st.sampled_from([t.CharType, t.VarCharType, t.BinaryType, t.VarBinaryType]).map(lambda kind: kind(length=0))
#: Types without one: rows with time attributes and texts of length 0 exist in the JSON form only.
TIMED_ROWS = st.builds(t.RowType, fields=_fields(_nullability(TIMES | _EMPTY) | TYPES))

_LITERALS = st.one_of(
    st.integers(-(2**63), 2**63 - 1).map(lambda v: Literal(v, t.BIGINT.not_null())),
    st.text(max_size=6).map(lambda v: Literal(v, t.STRING)),
    st.booleans().map(lambda v: Literal(v, t.BOOLEAN)),
    st.just(Literal(None, t.INT)),
    st.just(Literal("MONTH", t.SymbolType(nullable=False), "TIME_UNIT_RANGE")),
)
_BOUND = st.none() | st.integers(-9, 9)


def _range(low: int | None, high: int | None, closed: bool) -> Range:
    return Range(low, closed and low is not None, high, closed and high is not None, low is not None, high is not None)


_SARGS = st.builds(
    lambda ranges, null: Sarg(tuple(ranges), null, t.INT),
    st.lists(st.builds(_range, _BOUND, _BOUND, st.booleans()), max_size=3),
    st.sampled_from(["TRUE", "FALSE", "UNKNOWN"]),
)
_REFS = st.builds(InputRef, st.integers(0, 99), TYPES)


def _calls(operands: st.SearchStrategy[RexNode]) -> st.SearchStrategy[RexNode]:
    names = st.sampled_from(["$+$1", "$UPPER$1", "$CASE$1"])
    syntax = st.sampled_from([None, "BINARY", "SPECIAL"])
    return st.builds(Call, names, st.lists(operands, max_size=3).map(tuple), TYPES, syntax)


REX: st.SearchStrategy[RexNode] = st.recursive(_LITERALS | _SARGS | _REFS, _calls, max_leaves=6)
