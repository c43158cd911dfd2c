"""Text and bytes.

Source: Flink docs, "System (Built-in) Functions", string; result types as Flink 2.3's plans have them.
"""

from __future__ import annotations

from compiled_plan.planner.functions import plan_literals
from compiled_plan.planner.functions.casts import least_restrictive
from compiled_plan.planner.functions.signatures import (
    ANY,
    BOOL,
    BYTES_,
    NUMBER,
    TEXT,
    TEXT_OR_BYTES,
    WHOLE,
    Form,
    Function,
    Operands,
    ReturnRule,
    any_nullable,
    fixed,
    force_nullable,
    form,
    not_null,
    nullable,
    same,
    varying,
)
from compiled_plan.planner.functions.signatures import SYMBOL as KEYWORD
from compiled_plan.plans.rex import Literal, type_of
from compiled_plan.plans.types import (
    BIGINT,
    BOOLEAN,
    BYTES,
    INT,
    MAX_LENGTH,
    STRING,
    ArrayType,
    CharacterType,
    CharType,
    LogicalType,
    MapType,
    VarCharType,
)

_ONE = (form(TEXT),)
_ONE_OR_TWO = (form(TEXT), form(TEXT, TEXT))
_TWO = (form(TEXT, TEXT),)
_THREE = (form(TEXT, TEXT, TEXT),)
_SLICE = (form(TEXT, WHOLE), form(TEXT, WHOLE, WHOLE))
_ARRAY_OF_TEXT = ArrayType(element=STRING)
_TEXT_MAP = MapType(key=STRING, value=STRING)


def _entry(
    name: str, forms: tuple[Form, ...], returns: ReturnRule, *aliases: str, internal: str = "", nulls: bool = False
) -> Function:
    return Function(name, forms, returns, internal, aliases=aliases, nulls=nulls)


def _overlay(operands: Operands) -> LogicalType:
    one, two = type_of(operands[0]), type_of(operands[1])
    if isinstance(one, CharacterType) and isinstance(two, CharacterType):
        length = min(one.length + two.length, MAX_LENGTH)
        return VarCharType(length=length, nullable=any_nullable(operands))
    return STRING


def _trim(operands: Operands) -> Operands:
    """The operands in the order of plans: flag, characters, text."""
    if len(operands) == 1:
        return (plan_literals.trim_flag("BOTH"), plan_literals.string(" "), *operands)
    flag, chars, text = operands
    if isinstance(flag, Literal) and isinstance(flag.value, str):
        flag = plan_literals.trim_flag(flag.value)
    return (flag, chars, text)


def _elt(operands: Operands) -> LogicalType:
    found = least_restrictive([type_of(rex) for rex in operands[1:]])
    assert found is not None
    return found.with_nullability(True)


FUNCTIONS: tuple[Function, ...] = (
    _entry("UPPER", _ONE, same(0)),
    _entry("LOWER", _ONE, same(0)),
    _entry("INITCAP", _ONE, same(0)),
    _entry("CHAR_LENGTH", _ONE, fixed(INT), "CHARACTER_LENGTH"),
    _entry("ASCII", _ONE, fixed(INT)),
    *(_entry(name, (form(TEXT), form(NUMBER)), not_null(BOOLEAN)) for name in ("IS_ALPHA", "IS_DECIMAL", "IS_DIGIT")),
    _entry("CHR", (form(WHOLE),), nullable(STRING)),
    _entry("REVERSE", _ONE, nullable(STRING)),
    Function("TRIM", (form(TEXT), form(KEYWORD, TEXT, TEXT)), varying(2), prepare=_trim),
    _entry("LTRIM", _ONE_OR_TWO, varying(0)),
    _entry("RTRIM", _ONE_OR_TWO, varying(0)),
    _entry("BTRIM", _ONE_OR_TWO, fixed(STRING)),
    _entry("CONCAT", (form(TEXT, rest=TEXT),), fixed(STRING)),
    _entry("CONCAT_WS", (form(TEXT, TEXT, rest=TEXT),), fixed(STRING)),
    _entry("SUBSTRING", _SLICE, varying(0)),
    _entry("SUBSTR", _SLICE, varying(0)),
    _entry("LEFT", (form(TEXT, WHOLE),), force_nullable(varying(0))),
    _entry("RIGHT", (form(TEXT, WHOLE),), force_nullable(varying(0))),
    _entry("LPAD", (form(TEXT, WHOLE, TEXT),), fixed(STRING)),
    _entry("RPAD", (form(TEXT, WHOLE, TEXT),), fixed(STRING)),
    _entry("REPEAT", (form(TEXT, WHOLE),), fixed(STRING)),
    _entry("REPLACE", _THREE, fixed(STRING)),
    _entry("TRANSLATE", _THREE, fixed(STRING), internal="$TRANSLATE3$1"),
    _entry("OVERLAY", (form(TEXT, TEXT, WHOLE), form(TEXT, TEXT, WHOLE, WHOLE)), _overlay),
    _entry("POSITION", _TWO, fixed(INT)),
    _entry("LOCATE", (form(TEXT, TEXT), form(TEXT, TEXT, WHOLE)), fixed(INT)),
    _entry("INSTR", (*_TWO, form(TEXT, TEXT, WHOLE), form(TEXT, TEXT, WHOLE, WHOLE)), fixed(INT)),
    _entry("SPLIT_INDEX", (form(TEXT, TEXT, WHOLE), form(TEXT, WHOLE, WHOLE)), nullable(STRING)),
    _entry("SPLIT", _TWO, fixed(_ARRAY_OF_TEXT)),
    _entry("STR_TO_MAP", (form(TEXT), form(TEXT, TEXT, TEXT)), nullable(_TEXT_MAP)),
    _entry("REGEXP", _TWO, fixed(BOOLEAN)),
    _entry("REGEXP_EXTRACT", (form(TEXT, TEXT), form(TEXT, TEXT, WHOLE)), nullable(STRING)),
    _entry("REGEXP_REPLACE", _THREE, fixed(STRING)),
    _entry("REGEXP_COUNT", _TWO, nullable(INT)),
    _entry("REGEXP_INSTR", _TWO, nullable(INT)),
    _entry("REGEXP_SUBSTR", _TWO, nullable(STRING)),
    _entry("REGEXP_EXTRACT_ALL", (form(TEXT, TEXT), form(TEXT, TEXT, WHOLE)), nullable(_ARRAY_OF_TEXT)),
    _entry("PARSE_URL", (form(TEXT, TEXT), form(TEXT, TEXT, TEXT)), nullable(STRING)),
    _entry("URL_ENCODE", _ONE, nullable(STRING)),
    _entry("URL_DECODE", _ONE, nullable(STRING)),
    _entry("PRINTF", (form(TEXT, rest=ANY),), nullable(STRING), nulls=True),
    _entry("ELT", (form(WHOLE, TEXT, rest=TEXT), form(WHOLE, BYTES_, rest=BYTES_)), _elt, nulls=True),
    _entry("ENCODE", _TWO, fixed(BYTES)),
    _entry("DECODE", (form(BYTES_, TEXT),), fixed(STRING)),
    _entry("TO_BASE64", (form(TEXT_OR_BYTES),), fixed(STRING)),
    _entry("FROM_BASE64", (form(TEXT_OR_BYTES),), fixed(STRING)),
    _entry("STARTSWITH", (form(TEXT, TEXT), form(BYTES_, BYTES_)), fixed(BOOLEAN)),
    _entry("ENDSWITH", (form(TEXT, TEXT), form(BYTES_, BYTES_)), fixed(BOOLEAN)),
    _entry("INET_ATON", _ONE, nullable(BIGINT)),
    _entry("INET_NTOA", (form(WHOLE),), nullable(STRING)),
    Function("UUID", (form(),), not_null(CharType(length=36)), deterministic=False),
    _entry("TYPEOF", (form(ANY), form(ANY, BOOL)), nullable(STRING), nulls=True),
    _entry("CURRENT_DATABASE", (form(),), not_null(STRING)),
)
