"""JSON functions, and helpers that turn the keywords of their SQL syntax into operands.

Source: Flink docs, "JSON Functions"; operands of Flink 2.3's plans. The keywords are symbol operands.
"""

from __future__ import annotations

from collections.abc import Sequence

from compiled_plan.planner.functions import plan_literals
from compiled_plan.planner.functions.signatures import ANY, TEXT, TEXT_LITERAL, Family, Function, fixed, form, not_null
from compiled_plan.plans.errors import ProgramError, UnsupportedError
from compiled_plan.plans.rex import Call, RexNode, input_refs, type_of
from compiled_plan.plans.types import (
    BOOLEAN,
    STRING,
    ArrayType,
    BooleanType,
    BytesType,
    CharacterType,
    DoubleType,
    FieldsType,
    IntType,
    LogicalType,
    MapType,
    MultisetType,
    NullType,
    NumericType,
    TimestampBase,
    VarCharType,
    VariantType,
)

#: (event, behaviour, default value): for EMPTY or ERROR, NULL, ERROR or DEFAULT with a value.
Behavior = tuple[str, str, RexNode | None]


def json_value(
    document: RexNode,
    path: RexNode,
    *,
    returning: LogicalType | None = None,
    behaviors: Sequence[Behavior] = (),
) -> RexNode:
    """JSON_VALUE(document, path RETURNING ... ON EMPTY ... ON ERROR); the first behaviour for an event counts.

    Raises:
        ProgramError: a document or path that is no text, a type that cannot be returned, or a DEFAULT without a type.
        UnsupportedError: a DEFAULT that counts is not constant.
    """
    document = _text(document)
    _check("JSON_VALUE", document, path)
    type_ = returning or STRING
    if not isinstance(type_, VarCharType | BooleanType | IntType | DoubleType):
        raise ProgramError(f"JSON_VALUE cannot return {type_}", remedy="return STRING, BOOLEAN, INTEGER or DOUBLE")
    operands: list[RexNode] = [document, path]
    events: set[str] = set()
    for event, kind, default in behaviors:
        if default is not None and isinstance(type_of(default), NullType):
            raise ProgramError(
                "a DEFAULT of JSON_VALUE must be a constant with a type", remedy=f"write NULL ON {event}"
            )
        # Flink compiles such a plan, but cannot run it.
        if default is not None and input_refs(default) and event not in events:
            raise UnsupportedError(
                "a DEFAULT of JSON_VALUE that is not constant is not supported",
                remedy=f"write NULL ON {event}, or COALESCE around the call",
            )
        events.add(event)
        operands.append(plan_literals.symbol("JSON_VALUE_ON_EMPTY_OR_ERROR", kind))
        operands.extend(() if default is None else (default,))
        operands.append(plan_literals.symbol("JSON_EMPTY_OR_ERROR", event))
    return Call("$JSON_VALUE$1", tuple(operands), type_.with_nullability(True))


#: Wrapper in SQL -> its name in plans, where the WITH_ prefix is irregular.
_WRAPPERS = {
    "WITHOUT_ARRAY": "WITHOUT_ARRAY",
    "CONDITIONAL_ARRAY": "CONDITIONAL_ARRAY",
    "UNCONDITIONAL_ARRAY": "WITH_UNCONDITIONAL_ARRAY",
    "ARRAY": "WITH_UNCONDITIONAL_ARRAY",
}


def json_query(
    document: RexNode,
    path: RexNode,
    *,
    returning: LogicalType | None = None,
    wrapper: str = "WITHOUT_ARRAY",
    on_empty: str = "NULL",
    on_error: str = "NULL",
) -> RexNode:
    """JSON_QUERY; wrapper is WITHOUT_ARRAY, CONDITIONAL_ARRAY or UNCONDITIONAL_ARRAY (also with WITH_ before).

    `on_empty` and `on_error` are NULL, EMPTY_ARRAY, EMPTY_OBJECT or ERROR.
    """
    document = _text(document)
    _check("JSON_QUERY", document, path)
    type_ = returning or STRING
    is_array = isinstance(type_, ArrayType) and isinstance(type_.element, CharacterType)
    if not (isinstance(type_, VarCharType) or is_array):
        raise ProgramError(f"JSON_QUERY cannot return {type_}", remedy="return STRING or ARRAY<STRING>")
    if is_array and "EMPTY_OBJECT" in (on_empty, on_error):
        raise ProgramError(f"JSON_QUERY cannot return EMPTY OBJECT as {type_}", remedy="write EMPTY ARRAY")
    kind = _WRAPPERS[wrapper.removeprefix("WITH_")]
    operands = (
        document,
        path,
        plan_literals.symbol("JSON_QUERY_WRAPPER", kind),
        plan_literals.symbol("JSON_QUERY_ON_EMPTY_OR_ERROR", on_empty),
        plan_literals.symbol("JSON_QUERY_ON_EMPTY_OR_ERROR", on_error),
    )
    return Call("$JSON_QUERY$1", operands, type_.with_nullability(True))


def json_exists(document: RexNode, path: RexNode, *, on_error: str | None = None) -> RexNode:
    """JSON_EXISTS; `on_error` is TRUE, FALSE, UNKNOWN or ERROR, None if not written."""
    # Flink generates code of JSON_EXISTS for constant paths only.
    _check("JSON_EXISTS", document, path, TEXT_LITERAL)
    flag = () if on_error is None else (plan_literals.symbol("JSON_EXISTS_ON_ERROR", on_error),)
    return Call("$JSON_EXISTS$1", (document, path, *flag), BOOLEAN)


def json_object(pairs: Sequence[tuple[RexNode, RexNode]], *, absent_on_null: bool = False) -> RexNode:
    """JSON_OBJECT of keys (text literals) and values."""
    for key, _ in pairs:
        if not TEXT_LITERAL.accepts(key):
            raise ProgramError("the keys of JSON_OBJECT must be text literals")
    flag = plan_literals.symbol("JSON_ON_NULL", "ABSENT" if absent_on_null else "NULL")
    parts = tuple(part for pair in pairs for part in pair)
    return Call("$JSON_OBJECT$1", (flag, *parts), STRING.not_null())


def json_array(items: Sequence[RexNode], *, absent_on_null: bool = True) -> RexNode:
    """JSON_ARRAY of values; omits NULLs unless NULL ON NULL is written."""
    flag = plan_literals.symbol("JSON_ON_NULL", "ABSENT" if absent_on_null else "NULL")
    return Call("$JSON_ARRAY$1", (flag, *items), STRING.not_null())


def _text(document: RexNode) -> RexNode:
    """The document as text; that of a VARIANT is its JSON."""
    type_ = type_of(document)
    if not isinstance(type_, VariantType):
        return document
    return Call("$JSON_STRING$1", (document,), STRING.with_nullability(type_.nullable))


def _check(name: str, document: RexNode, path: RexNode, allowed: Family = TEXT) -> None:
    if not TEXT.accepts(document) or not allowed.accepts(path):
        raise ProgramError(
            f"cannot apply {name} to arguments of type ({type_of(document)}, {type_of(path)})",
            remedy=f"write {name}(<text>, '<path literal>')",
        )


_KINDS = ("VALUE", "OBJECT", "ARRAY", "SCALAR")


def _is_json(kind: str, *, negated: bool) -> Function:
    words = "IS NOT JSON" if negated else "IS JSON"
    alias = (words,) if kind == "VALUE" else ()
    internal = f"${words} {kind}$1"
    return Function(f"{words} {kind}", (form(TEXT),), not_null(BOOLEAN), internal, "POSTFIX", alias)


_SERIALIZABLE = Family(
    "CHARACTER, BINARY, TIMESTAMP, NUMERIC, BOOLEAN, ARRAY, MAP or ROW",
    (
        CharacterType,
        BytesType,
        TimestampBase,
        NumericType,
        BooleanType,
        ArrayType,
        MapType,
        MultisetType,
        FieldsType,
        VariantType,
    ),
)

FUNCTIONS: tuple[Function, ...] = (
    *(_is_json(kind, negated=negated) for kind in _KINDS for negated in (False, True)),
    Function("JSON_VALUE", (form(TEXT, TEXT),), rewrite=lambda o: json_value(o[0], o[1])),
    Function("JSON_QUERY", (form(TEXT, TEXT),), rewrite=lambda o: json_query(o[0], o[1])),
    Function("JSON_EXISTS", (form(TEXT, TEXT_LITERAL),), rewrite=lambda o: json_exists(o[0], o[1])),
    Function(
        "JSON_OBJECT",
        (form(rest=ANY),),
        rewrite=lambda o: json_object(tuple(zip(o[::2], o[1::2], strict=True))),
        nulls=True,
    ),
    Function("JSON_ARRAY", (form(rest=ANY),), rewrite=lambda o: json_array(o), nulls=True),
    Function("JSON_STRING", (form(_SERIALIZABLE),), fixed(STRING))
    .api("x.json_string", "JSON_STRING: the value as JSON.")
    .api(
        "json_string(value)",
        "JSON_STRING: the value as JSON.",
        '>>> items.select(cp.json_string(cp.col("price")).alias("x"))',
        "Table(x STRING NOT NULL)",
    ),
    Function("JSON", (form(TEXT),), fixed(STRING)),
    Function("JSON_QUOTE", (form(TEXT),), fixed(STRING)).api("x.json_quote", "JSON_QUOTE: the text as a JSON string."),
    Function("JSON_UNQUOTE", (form(TEXT),), fixed(STRING)).api(
        "x.json_unquote", "JSON_UNQUOTE: the content of a JSON string."
    ),
)
