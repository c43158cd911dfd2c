"""Functions of text and bytes.

Source: Flink docs, "System (Built-in) Functions", string; result types of Flink 2.3's plans.
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
    refuse,
    same,
    varying,
)
from compiled_plan.planner.functions.signatures import SYMBOL as KEYWORD
from compiled_plan.plans.rex import Literal, type_of
from compiled_plan.plans.rex.operands import printf_fault
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


def _printed(operands: Operands) -> Operands:
    refuse(printf_fault([type_of(rex) for rex in operands]))
    return operands


def _overlay(operands: Operands) -> LogicalType:
    text, replacement = type_of(operands[0]), type_of(operands[1])
    if isinstance(text, CharacterType) and isinstance(replacement, CharacterType):
        length = min(text.length + replacement.length, MAX_LENGTH)
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
    common = least_restrictive([type_of(rex) for rex in operands[1:]])
    assert common is not None
    return common.with_nullability(True)


FUNCTIONS: tuple[Function, ...] = (
    _entry("UPPER", _ONE, same(0)).api("x.upper_case", "UPPER: the text in upper case."),
    _entry("LOWER", _ONE, same(0)).api("x.lower_case", "LOWER: the text in lower case."),
    _entry("INITCAP", _ONE, same(0)).api("x.init_cap", "INITCAP: the text with every word capitalized."),
    _entry("CHAR_LENGTH", _ONE, fixed(INT), "CHARACTER_LENGTH").api(
        "x.char_length", "CHAR_LENGTH: the number of characters."
    ),
    _entry("ASCII", _ONE, fixed(INT)).api("x.ascii", "ASCII: the code of the first character."),
    *(_entry(name, (form(TEXT), form(NUMBER)), not_null(BOOLEAN)) for name in ("IS_ALPHA", "IS_DECIMAL", "IS_DIGIT")),
    _entry("CHR", (form(WHOLE),), nullable(STRING)).api("x.chr", "CHR: the character of a code."),
    _entry("REVERSE", _ONE, nullable(STRING)).api("x.reverse", "REVERSE: the characters in reverse order."),
    Function("TRIM", (form(TEXT), form(KEYWORD, TEXT, TEXT)), varying(2), prepare=_trim),
    _entry("LTRIM", _ONE_OR_TWO, varying(0)).api(
        "x.ltrim(trim_str=None)", "LTRIM: remove blanks, or these characters, at the start."
    ),
    _entry("RTRIM", _ONE_OR_TWO, varying(0)).api(
        "x.rtrim(trim_str=None)", "RTRIM: remove blanks, or these characters, at the end."
    ),
    _entry("BTRIM", _ONE_OR_TWO, fixed(STRING)).api(
        "x.btrim(trim_str=None)", "BTRIM: remove blanks, or these characters, at both ends."
    ),
    _entry("CONCAT", (form(TEXT, rest=TEXT),), fixed(STRING)).api(
        "concat(*texts)",
        "CONCAT.",
        '>>> items.select(cp.concat("a ", cp.col("item")).alias("x"))',
        "Table(x STRING NOT NULL)",
    ),
    _entry("CONCAT_WS", (form(TEXT, rest=TEXT),), fixed(STRING)).api(
        "concat_ws(separator, *texts)",
        "CONCAT_WS: the texts joined by a separator, without NULLs.",
        '>>> items.select(cp.concat_ws("-", "a", cp.col("item")).alias("x"))',
        "Table(x STRING NOT NULL)",
    ),
    _entry("SUBSTRING", _SLICE, varying(0)).api(
        "x.substring(begin_index, length=None)", "SUBSTRING from a position (from 1), to the end or with a length."
    ),
    _entry("SUBSTR", _SLICE, varying(0)).api("x.substr(begin_index, length=None)", "SUBSTR; the same as `substring`."),
    _entry("LEFT", (form(TEXT, WHOLE),), force_nullable(varying(0))).api(
        "x.left(length)", "LEFT: the first `length` characters."
    ),
    _entry("RIGHT", (form(TEXT, WHOLE),), force_nullable(varying(0))).api(
        "x.right(length)", "RIGHT: the last `length` characters."
    ),
    _entry("LPAD", (form(TEXT, WHOLE, TEXT),), fixed(STRING)).api(
        "x.lpad(length, pad)", "LPAD: pad or cut to a length, on the left."
    ),
    _entry("RPAD", (form(TEXT, WHOLE, TEXT),), fixed(STRING)).api(
        "x.rpad(length, pad)", "RPAD: pad or cut to a length, on the right."
    ),
    _entry("REPEAT", (form(TEXT, WHOLE),), fixed(STRING)).api("x.repeat(n)", "REPEAT the text `n` times."),
    _entry("REPLACE", _THREE, fixed(STRING)).api(
        "x.replace(search, replacement)", "REPLACE every occurrence of `search`."
    ),
    _entry("TRANSLATE", _THREE, fixed(STRING), internal="$TRANSLATE3$1").api(
        "x.translate(from_str, to_str)", "TRANSLATE `from_str` to those at the same positions in `to_str`."
    ),
    _entry("OVERLAY", (form(TEXT, TEXT, WHOLE), form(TEXT, TEXT, WHOLE, WHOLE)), _overlay).api(
        "x.overlay(new_string, starting, length=None)",
        "OVERLAY: replace the characters from `starting` by `new_string`.",
    ),
    _entry("POSITION", _TWO, fixed(INT)).api(
        "x.position(haystack)", "POSITION(this IN text), from 1; 0 if it does not occur."
    ),
    _entry("LOCATE", (form(TEXT, TEXT), form(TEXT, TEXT, WHOLE)), fixed(INT)).api(
        "x.locate(s, pos=None)", "LOCATE: the position of this in `s`, from 1."
    ),
    _entry("INSTR", (*_TWO, form(TEXT, TEXT, WHOLE), form(TEXT, TEXT, WHOLE, WHOLE)), fixed(INT)).api(
        "x.instr(s)", "INSTR: the position of `s` in this, from 1."
    ),
    _entry("SPLIT_INDEX", (form(TEXT, TEXT, WHOLE), form(TEXT, WHOLE, WHOLE)), nullable(STRING)).api(
        "x.split_index(separator, index)", "SPLIT_INDEX: the part at `index`, from 0."
    ),
    _entry("SPLIT", _TWO, fixed(_ARRAY_OF_TEXT)).api("x.split(delimiter)", "SPLIT into an array of texts."),
    _entry("STR_TO_MAP", (form(TEXT), form(TEXT, TEXT, TEXT)), nullable(_TEXT_MAP)).api(
        'x.str_to_map(list_delimiter=",", key_value_delimiter="=")',
        "STR_TO_MAP, with separators of pairs, and of keys and values.",
    ),
    _entry("REGEXP", _TWO, fixed(BOOLEAN)).api("x.regexp(regex)", "REGEXP: TRUE if a part matches."),
    _entry("REGEXP_EXTRACT", (form(TEXT, TEXT), form(TEXT, TEXT, WHOLE)), nullable(STRING)).api(
        "x.regexp_extract(regex, extract_index=None)", "REGEXP_EXTRACT: the first match, or a group of it."
    ),
    _entry("REGEXP_REPLACE", _THREE, fixed(STRING)).api(
        "x.regexp_replace(regex, replacement)", "REGEXP_REPLACE: replace every match of a pattern."
    ),
    _entry("REGEXP_COUNT", _TWO, nullable(INT)).api("x.regexp_count(regex)", "REGEXP_COUNT: the number of matches."),
    _entry("REGEXP_INSTR", _TWO, nullable(INT)).api(
        "x.regexp_instr(regex)", "REGEXP_INSTR: the position of the first match, from 1."
    ),
    _entry("REGEXP_SUBSTR", _TWO, nullable(STRING)).api(
        "x.regexp_substr(regex)", "REGEXP_SUBSTR: the first match of a pattern."
    ),
    _entry("REGEXP_EXTRACT_ALL", (form(TEXT, TEXT), form(TEXT, TEXT, WHOLE)), nullable(_ARRAY_OF_TEXT)).api(
        "x.regexp_extract_all(regex, extract_index=None)",
        "REGEXP_EXTRACT_ALL: all matches, or a group of each, as an array.",
    ),
    _entry("PARSE_URL", (form(TEXT, TEXT), form(TEXT, TEXT, TEXT)), nullable(STRING)).api(
        "x.parse_url(part_to_extract, key=None)",
        "PARSE_URL: HOST, PATH, QUERY, REF, PROTOCOL, AUTHORITY, FILE or USERINFO; or the value of a key in QUERY.",
    ),
    _entry("URL_ENCODE", _ONE, nullable(STRING)).api("x.url_encode", "URL_ENCODE: the text encoded for a URL."),
    _entry("URL_DECODE", _ONE, nullable(STRING)).api("x.url_decode", "URL_DECODE: the text decoded from a URL."),
    Function("PRINTF", (form(TEXT, rest=ANY),), nullable(STRING), nulls=True, prepare=_printed).api(
        "x.printf(*values)", "PRINTF: the values in this format."
    ),
    _entry("ELT", (form(WHOLE, TEXT, rest=TEXT), form(WHOLE, BYTES_, rest=BYTES_)), _elt, nulls=True).api(
        "x.elt(*values)", "ELT: the value at this index, from 1."
    ),
    _entry("ENCODE", _TWO, fixed(BYTES)).api("x.encode(charset)", "ENCODE into the bytes of a charset."),
    _entry("DECODE", (form(BYTES_, TEXT),), fixed(STRING)).api(
        "x.decode(charset)", "DECODE from the bytes of a charset."
    ),
    _entry("TO_BASE64", (form(TEXT_OR_BYTES),), fixed(STRING)).api("x.to_base64", "TO_BASE64: the text in base64."),
    _entry("FROM_BASE64", (form(TEXT_OR_BYTES),), fixed(STRING)).api(
        "x.from_base64", "FROM_BASE64: the text decoded from base64."
    ),
    _entry("STARTSWITH", (form(TEXT, TEXT), form(BYTES_, BYTES_)), fixed(BOOLEAN)).api(
        "x.starts_with(start_expr)", "STARTSWITH: true if another value is at its start."
    ),
    _entry("ENDSWITH", (form(TEXT, TEXT), form(BYTES_, BYTES_)), fixed(BOOLEAN)).api(
        "x.ends_with(end_expr)", "ENDSWITH: true if another value is at its end."
    ),
    _entry("INET_ATON", _ONE, nullable(BIGINT)).api("x.inet_aton", "INET_ATON: an IPv4 address as a number."),
    _entry("INET_NTOA", (form(WHOLE),), nullable(STRING)).api(
        "x.inet_ntoa", "INET_NTOA: the IPv4 address of a number."
    ),
    # It prints text and value where the row is processed, and returns the value.
    _entry("PRINT", (form(TEXT, ANY),), lambda operands: type_of(operands[1]), nulls=True),
    Function("UUID", (form(),), not_null(CharType(length=36)), deterministic=False).api(
        "uuid()", "UUID().", '>>> items.select(cp.uuid().alias("x"))', "Table(x CHAR(36) NOT NULL)"
    ),
    _entry("TYPEOF", (form(ANY), form(ANY, BOOL)), nullable(STRING), nulls=True),
    _entry("CURRENT_DATABASE", (form(),), not_null(STRING)).api(
        "current_database()",
        "CURRENT_DATABASE().",
        '>>> items.select(cp.current_database().alias("x"))',
        "Table(x STRING NOT NULL)",
    ),
)
