"""Comparison, logic, LIKE, IN, BETWEEN and concatenation.

Source: Flink docs, "System (Built-in) Functions"; operand casts of Flink 2.3's plans: `=` and `<>` cast both
sides to their common type, the ordering comparisons only cast text to the type of the opposite side.
"""

from __future__ import annotations

from collections.abc import Callable

from compiled_plan.planner.functions import plan_literals
from compiled_plan.planner.functions.casts import coerce, least_restrictive, same_type
from compiled_plan.planner.functions.sargs import complement, points
from compiled_plan.planner.functions.signatures import (
    ANY,
    BOOL,
    BYTES_,
    TEXT,
    Form,
    Function,
    Operands,
    any_nullable,
    fixed,
    form,
    is_untyped_null,
    not_null,
)
from compiled_plan.plans.errors import ProgramError
from compiled_plan.plans.rex import Call, Literal, RexNode, Sarg, type_of
from compiled_plan.plans.types import (
    BIGINT,
    BOOLEAN,
    MAX_LENGTH,
    ArrayType,
    BinaryType,
    BitmapType,
    BooleanType,
    BytesType,
    CharacterType,
    CharType,
    DecimalType,
    FieldsType,
    IntegerType,
    LogicalType,
    MapType,
    MultisetType,
    NumericType,
    TimestampBase,
    TimestampLtzType,
    TimestampType,
    VarBinaryType,
    VarCharType,
)
from compiled_plan.plans.types.temporal import is_attribute

_TWO_BOOLEANS = (form(BOOL, BOOL, rest=BOOL),)
_NEGATED = {"=": "<>", "<>": "=", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}
_TEMPORAL = ("DATE", "TIME_WITHOUT_TIME_ZONE", "TIMESTAMP_WITHOUT_TIME_ZONE", "TIMESTAMP_WITH_LOCAL_TIME_ZONE")


def boolean_call(name: str, operands: Operands, syntax: str, *, never_null: bool = False) -> Call:
    """A BOOLEAN call by its symbol; nullable if an operand is, unless `never_null`."""
    return Call(f"${name}$1", operands, BOOLEAN.with_nullability(not never_null and any_nullable(operands)), syntax)


def _flatten(name: str, operands: Operands) -> Operands:
    flat: dict[RexNode, None] = {}
    for rex in operands:
        flat.update(dict.fromkeys(rex.operands if isinstance(rex, Call) and rex.name == name else (rex,)))
    return tuple(flat)


def all_of(operands: Operands) -> RexNode:
    """AND with nested ANDs flattened; the operand itself for one operand."""
    flat = _flatten("$AND$1", operands)
    return flat[0] if len(flat) == 1 else boolean_call("AND", flat, "BINARY")


def any_of(operands: Operands) -> RexNode:
    """OR with nested ORs flattened; the operand itself for one operand."""
    flat = _flatten("$OR$1", operands)
    return flat[0] if len(flat) == 1 else boolean_call("OR", flat, "BINARY")


def negate(operands: Operands) -> RexNode:
    """NOT; inverts a comparison or null test, and removes a double NOT."""
    rex = operands[0]
    if isinstance(rex, Literal):
        return rex if rex.value is None else plan_literals.boolean(not rex.value)
    if isinstance(rex, Call):
        turned = _NEGATED.get(rex.name[1:-2])
        if turned is not None and rex.syntax == "BINARY":
            return boolean_call(turned, rex.operands, "BINARY")
        if rex.name == "$NOT$1":
            return rex.operands[0]
        if rex.name in ("$AND$1", "$OR$1"):
            parts = tuple(negate((part,)) for part in rex.operands)
            return any_of(parts) if rex.name == "$AND$1" else all_of(parts)
        if rex.name == "$SEARCH$1" and isinstance(rex.operands[1], Sarg):
            around = complement(rex.operands[1])
            if around is not None:
                return Call(rex.name, (rex.operands[0], around), rex.type, rex.syntax)
        opposite = _OPPOSITE.get(rex.name)
        if opposite is not None:
            return Call(opposite, rex.operands, rex.type, rex.syntax)
    return boolean_call("NOT", operands, "PREFIX")


_OPPOSITE_PAIRS = (
    ("$IS NULL$1", "$IS NOT NULL$1"),
    ("$IS TRUE$1", "$IS NOT TRUE$1"),
    ("$IS FALSE$1", "$IS NOT FALSE$1"),
)
_OPPOSITE = {symbol: opposite for pair in _OPPOSITE_PAIRS for symbol, opposite in (pair, pair[::-1])}


def _typed_nulls(operands: Operands) -> Operands:
    known = next((type_of(rex) for rex in operands if not is_untyped_null(rex)), BOOLEAN)
    return tuple(plan_literals.null(known) if is_untyped_null(rex) else rex for rex in operands)


def _comparison(symbol: str) -> Function:
    equality = symbol in ("=", "<>")

    def rewrite(operands: Operands) -> RexNode:
        return compare(symbol, operands[0], operands[1], equality)

    return Function(symbol, (form(ANY, ANY),), nulls=True, rewrite=rewrite, infix=True)


def compare(symbol: str, left: RexNode, right: RexNode, equality: bool | None = None) -> RexNode:
    """`left symbol right`, with Flink's coercion of the operands.

    Raises:
        ProgramError: the types cannot be compared.
    """
    left, right = _typed_nulls((left, right))
    if equality is None:
        equality = symbol in ("=", "<>")
    left_type, right_type = type_of(left), type_of(right)
    pair = _row_pair(left, right)
    if pair is not None and symbol == "=":
        return all_of(tuple(_equal_fields(a, b) for a, b in pair))
    if not _comparable(left_type, right_type, ordered=not equality):
        raise ProgramError(
            f"cannot apply {symbol} to arguments of type <{left_type.with_nullability(True)}> {symbol} "
            f"<{right_type.with_nullability(True)}>",
            remedy="cast one side to the type of the other",
        )
    if (
        equality
        and isinstance(left_type, CharacterType) != isinstance(right_type, CharacterType)
        and _numeric(left_type, right_type)
    ):
        raise ProgramError(
            f"there is no implicit conversion between {left_type.with_nullability(True)} "
            f"and {right_type.with_nullability(True)}",
            remedy="cast one side to the type of the other",
        )
    left, right = _coerced(left, right, equality)
    return boolean_call(symbol, (left, right), "BINARY")


def _equal_fields(left: RexNode, right: RexNode) -> RexNode:
    """Equality of two fields; unlike `=`, without casts of timestamps with and without time zone."""
    compared = compare("=", left, right)
    if {type(type_of(left)), type(type_of(right))} == {TimestampType, TimestampLtzType}:
        return boolean_call("=", (left, right), "BINARY")
    return compared


def _row_pair(left: RexNode, right: RexNode) -> tuple[tuple[RexNode, RexNode], ...] | None:
    """Pairs of fields of two row constructors, which SQL compares field by field; None for other rows."""
    both = (row_parts(left), row_parts(right))
    return None if len(both[0]) != len(both[1]) else tuple(zip(*both, strict=True)) or None


def row_parts(rex: RexNode) -> Operands:
    """The operands of a row constructor; none for other expressions."""
    return rex.operands if isinstance(rex, Call) and rex.name == "$ROW$1" else ()


def _comparable(left: LogicalType, right: LogicalType, *, ordered: bool) -> bool:
    if least_restrictive((left, right)) is not None:
        unordered = isinstance(left, MapType | MultisetType | FieldsType | ArrayType | BitmapType)
        return not (unordered and ordered)
    texts = [type_ for type_ in (left, right) if isinstance(type_, CharacterType)]
    others = [type_ for type_ in (left, right) if not isinstance(type_, CharacterType)]
    if len(texts) == 1:
        # text is read as the type of the opposite side
        second = others[0]
        return second.ROOT == "BOOLEAN" or second.ROOT in _TEMPORAL or second.ROOT in _NUMERIC_ROOTS
    return False


def _numeric(*types: LogicalType) -> bool:
    return any(isinstance(type_, NumericType) for type_ in types)


_NUMERIC_ROOTS = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "FLOAT", "DOUBLE", "DECIMAL")


def _coerced(left: RexNode, right: RexNode, equality: bool) -> tuple[RexNode, RexNode]:
    left_type, right_type = type_of(left), type_of(right)
    if isinstance(left_type, CharacterType) != isinstance(right_type, CharacterType):
        # Flink casts text at run time for `=`, but a constant date or time is known at compile time (a BOOLEAN equals
        # no text); for an ordering it casts text to the type of the opposite side
        target = _read_as(right_type if isinstance(left_type, CharacterType) else left_type)
        constant = isinstance(left, Literal) or isinstance(right, Literal)
        if equality and (not constant or target.ROOT == "BOOLEAN"):
            return left, right
        return coerce(left, target), coerce(right, target)
    if not equality:
        return left, right
    if is_attribute(left_type):
        return left, right
    common = least_restrictive((left_type, right_type))
    if common is None or same_type(left_type, right_type):
        return left, right
    return coerce(left, common), coerce(right, common)


def _read_as(type_: LogicalType) -> LogicalType:
    if isinstance(type_, IntegerType):
        return BIGINT
    if isinstance(type_, DecimalType):
        return least_restrictive((BIGINT, type_)) or type_
    return type_


def _distinct(operands: Operands) -> RexNode:
    """IS DISTINCT FROM: no casts; NULLs are equal."""
    left, right = _typed_nulls(operands)
    equal = boolean_call("=", (left, right), "BINARY")
    compare("=", left, right)
    if not any_nullable((left, right)):
        return boolean_call("<>", (left, right), "BINARY")
    differ = boolean_call("IS NOT TRUE", (equal,), "POSTFIX", never_null=True)
    if not (type_of(left).nullable and type_of(right).nullable):
        return differ
    known = tuple(boolean_call("IS NOT NULL", (rex,), "POSTFIX", never_null=True) for rex in (left, right))
    return all_of((any_of(known), differ))


def _not_distinct(operands: Operands) -> RexNode:
    left, right = _typed_nulls(operands)
    equal = boolean_call("=", (left, right), "BINARY")
    compare("=", left, right)
    if not any_nullable((left, right)):
        return equal
    same = boolean_call("IS TRUE", (equal,), "POSTFIX", never_null=True)
    if not (type_of(left).nullable and type_of(right).nullable):
        return same
    missing = tuple(boolean_call("IS NULL", (rex,), "POSTFIX", never_null=True) for rex in (left, right))
    return any_of((all_of(missing), same))


def _between(operands: Operands) -> RexNode:
    value, low, high = operands
    return all_of((compare(">=", value, low), compare("<=", value, high)))


def _not_between(operands: Operands) -> RexNode:
    value, low, high = operands
    return any_of((compare("<", value, low), compare(">", value, high)))


def _symmetric(operands: Operands) -> RexNode:
    value, low, high = operands
    return any_of((_between(operands), _between((value, high, low))))


def _in(operands: Operands) -> RexNode:
    """IN: constants as one SEARCH (every item cast to the value's type), other items as comparisons."""
    value, *items = operands
    constants: list[Literal] = []
    tests: list[RexNode] = []
    for item in items:
        if is_untyped_null(item):
            tests.append(plan_literals.null(BOOLEAN))
            continue
        if _row_pair(value, item) is not None:
            tests.append(compare("=", value, item))
            continue
        if not _comparable(type_of(value), type_of(item), ordered=False):
            compare("=", value, item)
        fitted = _as_item(item, type_of(value))
        if isinstance(fitted, Literal) and fitted.value is not None and not isinstance(fitted.type, BooleanType):
            constants.append(fitted)
        elif isinstance(type_of(value), CharacterType) and isinstance(type_of(fitted), CharacterType):
            # Unlike =, IN compares texts of other lengths without a cast.
            tests.append(boolean_call("=", (value, fitted), "BINARY"))
        else:
            tests.append(compare("=", value, fitted))
    search = points(value, constants)
    return any_of((*([search] if search is not None else []), *tests))


def _as_item(item: RexNode, target: LogicalType) -> RexNode:
    type_ = type_of(item)
    both_text = isinstance(type_, CharacterType) and isinstance(target, CharacterType)
    both_times = isinstance(type_, TimestampBase) and isinstance(target, TimestampBase)
    if both_text or (both_times and type_.ROOT == target.ROOT):
        return item
    if isinstance(type_, DecimalType) and isinstance(target, DecimalType):
        return coerce(item, least_restrictive((type_, target)) or target)
    return coerce(item, target)


def _not_in(operands: Operands) -> RexNode:
    return negate((_in(operands),))


def _concat_type(operands: Operands) -> LogicalType:
    types = [type_of(rex) for rex in operands]
    nullable = any_nullable(operands)
    lengths = [type_.length for type_ in types if isinstance(type_, CharacterType | BytesType)]
    length = min(sum(lengths), MAX_LENGTH)
    if isinstance(types[0], CharacterType):
        is_char = all(isinstance(type_, CharType) for type_ in types)
        return (CharType if is_char else VarCharType)(length=length, nullable=nullable)
    is_binary = all(isinstance(type_, BinaryType) for type_ in types)
    return (BinaryType if is_binary else VarBinaryType)(length=length, nullable=nullable)


def _postfix(name: str, forms: tuple[Form, ...], internal: str = "") -> Function:
    return Function(name, forms, not_null(BOOLEAN), internal or f"${name}$1", "POSTFIX", nulls=True)


def _negated(rewrite: Callable[[Operands], RexNode]) -> Callable[[Operands], RexNode]:
    return lambda operands: negate((rewrite(operands),))


def _pattern(name: str) -> Callable[[Operands], RexNode]:
    return lambda operands: boolean_call(name, operands, "SPECIAL")


_PATTERN = (form(TEXT, TEXT), form(TEXT, TEXT, TEXT))
_THREE = (form(ANY, ANY, ANY),)
_MANY = (form(ANY, ANY, rest=ANY),)

FUNCTIONS: tuple[Function, ...] = (
    *(_comparison(symbol) for symbol in ("=", "<>", "<", "<=", ">", ">=")),
    Function("AND", _TWO_BOOLEANS, rewrite=all_of, nulls=True, prepare=None, infix=True),
    Function("OR", _TWO_BOOLEANS, rewrite=any_of, nulls=True, infix=True),
    Function("NOT", (form(BOOL),), rewrite=negate, nulls=True),
    _postfix("IS NULL", (form(ANY),)),
    _postfix("IS NOT NULL", (form(ANY),)),
    _postfix("IS TRUE", (form(BOOL),)),
    _postfix("IS NOT TRUE", (form(BOOL),)),
    _postfix("IS FALSE", (form(BOOL),)),
    _postfix("IS NOT FALSE", (form(BOOL),)),
    _postfix("IS UNKNOWN", (form(BOOL),), "$IS NULL$1"),
    _postfix("IS NOT UNKNOWN", (form(BOOL),), "$IS NOT NULL$1"),
    Function("IS DISTINCT FROM", (form(ANY, ANY),), rewrite=_distinct, nulls=True, infix=True),
    Function("IS NOT DISTINCT FROM", (form(ANY, ANY),), rewrite=_not_distinct, nulls=True, infix=True),
    Function("LIKE", _PATTERN, fixed(BOOLEAN), syntax="SPECIAL"),
    Function("NOT LIKE", _PATTERN, rewrite=_negated(_pattern("LIKE"))),
    Function("SIMILAR TO", _PATTERN, fixed(BOOLEAN), syntax="SPECIAL"),
    Function("NOT SIMILAR TO", _PATTERN, rewrite=_negated(_pattern("SIMILAR TO"))),
    Function("BETWEEN", _THREE, rewrite=_between, aliases=("BETWEEN ASYMMETRIC",), nulls=True),
    Function("NOT BETWEEN", _THREE, rewrite=_not_between, aliases=("NOT BETWEEN ASYMMETRIC",), nulls=True),
    Function("BETWEEN SYMMETRIC", _THREE, rewrite=_symmetric, nulls=True),
    Function("NOT BETWEEN SYMMETRIC", _THREE, rewrite=_negated(_symmetric), nulls=True),
    Function("IN", _MANY, rewrite=_in, nulls=True),
    Function("NOT IN", _MANY, rewrite=_not_in, nulls=True),
    Function("||", (form(TEXT, TEXT), form(BYTES_, BYTES_)), _concat_type, syntax="BINARY", infix=True),
)
