"""Signatures of functions: kinds of operands and of the result.

Most functions are in a table of kinds, `signatures.json`, generated from the planner's declarations (`make docs`).
Functions whose operand types depend on one another have a rule here.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from compiled_plan.plans.findings import Fault, did_you_mean, refusal
from compiled_plan.plans.rex.java import java_function
from compiled_plan.plans.rex.kinds import kind_of, kind_text
from compiled_plan.plans.rex.nodes import CASTS, Call, Literal, Sarg
from compiled_plan.plans.rex.operands import castable, operand_fault
from compiled_plan.plans.rex.python import called_name, python_function
from compiled_plan.plans.types import ArrayType, FieldsType, LogicalType, MapType, VariantType
from compiled_plan.plans.types.likeness import alike

Types = tuple[LogicalType, ...]
#: Returns the fault of a call's operands, or None.
Rule = Callable[[Call, Types], str | None]

#: Special functions of MATCH_RECOGNIZE and its aggregates, which the rule of its node checks.
_MATCH = frozenset(
    f"${name}$1" for name in "PREV NEXT LAST FIRST FINAL RUNNING MATCH_ROWTIME MATCH_PROCTIME CLASSIFIER".split()
)
AGGREGATES = frozenset(
    f"${name}$1" for name in "COUNT SUM $SUM0 MIN MAX AVG FIRST_VALUE LAST_VALUE LISTAGG COLLECT".split()
)
_TIMES = frozenset("DSL")
#: Flink's name of a function in plans.
_NAME = re.compile(r"\$.+\$[0-9]+")
#: Prefix in the file for a remedy instead of signatures: a Flink function that does not run here.
REFUSED = "refused: "
#: SQL notations of a call, by Flink's names.
SYNTAXES = "FUNCTION FUNCTION_STAR FUNCTION_ID ORDERED_FUNCTION BINARY PREFIX POSTFIX SPECIAL INTERNAL".split()


def call_fault(call: Call, types: Types) -> Fault | None:
    """The fault of a call over operands of these types; None if its function has a matching signature."""
    if call.syntax is not None and call.syntax not in SYNTAXES:
        remedy = f"known: {', '.join(SYNTAXES)}"
        return Fault(("syntax",), f"unknown value {call.syntax!r} for `syntax`", remedy, call.syntax)
    if call.name in _MATCH or call.name in AGGREGATES:
        return None
    if call.extra:
        return _user_fault(call)
    without = NOT_RUN.get(call.name) or _refused().get(call.name)
    if without is not None:
        return refusal(("internalName",), f"{_title(call.name)} does not run here", without, call.name)
    rule = STRUCTURAL.get(call.name)
    if rule is not None:
        wrong = rule(call, types)
        if wrong is None:
            return _operand_fault(call, types)
        remedy = "correct the operands, or compile the plan again"
        return Fault(("operands",), f"{_title(call.name)}: {wrong}", remedy)
    signatures = _table().get(call.name)
    if signatures is None:
        known = (*_table(), *STRUCTURAL)
        remedy = did_you_mean(call.name, known, "use a function that is known here, or run the plan in Flink")
        # A name unlike any known one may be a Flink function that does not run here.
        editable = _NAME.fullmatch(call.name) is not None and not remedy.startswith("did")
        return Fault(("internalName",), f"no function is named {call.name!r}", remedy, call.name, editable)
    operand_kinds, result = "".join(map(kind_of, types)), kind_of(call.type)
    if any(_fits(operand_kinds, kinds, more) for kinds, more, kind in signatures if kind == result):
        return _operand_fault(call, types)
    shown = ", ".join(str(type_.with_nullability(True)) for type_ in types)
    if not any(_fits(operand_kinds, kinds, more) for kinds, more, _ in signatures):
        counts = sorted({len(kinds) for kinds, _, _ in signatures})
        message = f"{_title(call.name)} does not take ({shown})"
        return Fault(("operands",), message, _remedy(signatures, len(operand_kinds), counts))
    return Fault(
        ("type",), f"{_title(call.name)} of ({shown}) does not give {call.type}", "correct the type", str(call.type)
    )


def _operand_fault(call: Call, types: Types) -> Fault | None:
    if call.name in CASTS:
        if castable(types[0], call.type, _cast_kinds()):
            return None
        message, remedy = f"a cast from {types[0]} to {call.type}", "cast through a type that both sides know"
    else:
        wrong = operand_fault(call, types)
        if wrong is None:
            return None
        message, remedy = wrong
    return refusal(("operands",), message, remedy)


@lru_cache(maxsize=1)
def _cast_kinds() -> frozenset[tuple[str, str]]:
    return frozenset((kinds, result) for kinds, _, result in _table()["$CAST$1"])


#: Functions with known operands that do not run here -> remedy.
NOT_RUN: Mapping[str, str] = {
    "$CURRENT_DATABASE$1": "write the name of the database",
    "$SOURCE_WATERMARK$1": "declare the watermark over a column, as in WATERMARK FOR ts AS ts",
}


def _user_fault(call: Call) -> Fault | None:
    """The fault of an unknown function; the functions of users check their own signature."""
    if python_function(call) is not None or call.name in STRUCTURAL or call.name in _table():
        return None
    names = dict(call.extra)
    if "instance" in names:
        message = f"the function {called_name(call)!r} is a serialized Java object, whose code the plan would choose"
        return refusal((), message, "register its class under a name, and compile the plan again", called_name(call))
    if java_function(call) is not None:
        return None
    title = str(names.get("sqlKind") or call.name)
    return refusal((), f"the function {title!r} is not built in", "run the plan in Flink", title)


def _fits(operand_kinds: str, kinds: str, more: bool) -> bool:
    """Return True if operands fit a signature; an untyped NULL fits everywhere."""
    if len(operand_kinds) > len(kinds) and more:
        kinds += kinds[-1] * (len(operand_kinds) - len(kinds))
    return len(operand_kinds) == len(kinds) and all(
        kind in (expected, "0") for kind, expected in zip(operand_kinds, kinds, strict=True)
    )


def _remedy(signatures: Sequence[tuple[str, bool, str]], count: int, counts: list[int]) -> str:
    forms = [kinds for kinds, _, _ in signatures if len(kinds) == count]
    if not forms:
        return f"it takes {' or '.join(map(str, counts))} operands"
    first = ", ".join(map(kind_text, forms[0]))
    return f"it takes ({first})" + (f" and {len(forms) - 1} other forms" if len(forms) > 1 else "")


def _title(name: str) -> str:
    return name.removeprefix("$").removesuffix("$1")


@lru_cache(maxsize=1)
def _table() -> Mapping[str, Sequence[tuple[str, bool, str]]]:
    """Name -> kinds of operands, True if the last may repeat, kind of the result."""
    signatures = {}
    for name, text in _file().items():
        if text.startswith(REFUSED):
            continue
        parts = (item.partition(":") for item in text.split(" "))
        signatures[name] = [(kinds.removesuffix("*"), kinds.endswith("*"), result) for kinds, _, result in parts]
    return signatures


@lru_cache(maxsize=1)
def _refused() -> Mapping[str, str]:
    """Flink functions that do not run here -> remedy."""
    return {name: text.removeprefix(REFUSED) for name, text in _file().items() if text.startswith(REFUSED)}


@lru_cache(maxsize=1)
def _file() -> dict[str, str]:
    data: dict[str, str] = json.loads((Path(__file__).parent / "signatures.json").read_text(encoding="utf-8"))
    return data


def _same_kind(call: Call, types: Types) -> str | None:
    """Check that all operands and the result are of one kind."""
    if not types:
        return "it needs operands"
    kinds = {kind_of(type_) for type_ in (*types, call.type)} - {"0"}
    return None if len(kinds) <= 1 or kinds <= _TIMES else f"operands of different kinds give {call.type}"


def _case(call: Call, types: Types) -> str | None:
    if len(types) < 3 or len(types) % 2 == 0:
        return f"{len(types)} operands, and it takes a condition and a value each time, and a value at last"
    if any(kind_of(type_) not in "b0" for type_ in types[0:-1:2]):
        return "a condition is not BOOLEAN"
    return _branches(call, (*types[1::2], types[-1]))


def _if(call: Call, types: Types) -> str | None:
    if len(types) != 3:
        return f"{len(types)} operands, and it takes a condition and two values"
    if kind_of(types[0]) not in "b0":
        return "the condition is not BOOLEAN"
    return _branches(call, types[1:])


def _branches(call: Call, values: Types) -> str | None:
    wrong = next((type_ for type_ in values if kind_of(type_) not in (kind_of(call.type), "0")), None)
    if wrong is None or {kind_of(wrong), kind_of(call.type)} <= _TIMES:
        return None
    return f"a value of type {wrong} cannot be {call.type}"


def _row(call: Call, types: Types) -> str | None:
    if not isinstance(call.type, FieldsType) or len(call.type.fields) != len(types):
        return f"{len(types)} operands do not make {call.type}"
    pairs = zip(types, call.type.fields, strict=True)
    wrong = next((field for type_, field in pairs if kind_of(type_) not in (kind_of(field.type), "0")), None)
    return None if wrong is None else f"the operand of field {wrong.name!r} is not {wrong.type}"


def _array(call: Call, types: Types) -> str | None:
    if not isinstance(call.type, ArrayType):
        return f"it does not give {call.type}"
    return _all_of(types, call.type.element)


def _map(call: Call, types: Types) -> str | None:
    if not isinstance(call.type, MapType):
        return f"it does not give {call.type}"
    if len(types) % 2:
        return "a key lacks its value"
    return _all_of(types[0::2], call.type.key) or _all_of(types[1::2], call.type.value)


def _all_of(types: Types, wanted: LogicalType) -> str | None:
    wrong = next((type_ for type_ in types if kind_of(type_) not in (kind_of(wanted), "0")), None)
    return None if wrong is None else f"an operand of type {wrong} is not {wanted}"


def _item(call: Call, types: Types) -> str | None:
    if len(types) != 2:
        return f"{len(types)} operands, and it takes a collection and an index or a key"
    source, key = types
    match source:
        case ArrayType():
            element, wanted = source.element, "N"
        case MapType():
            element, wanted = source.value, kind_of(source.key)
        case VariantType():
            element, wanted = source, "C" if kind_of(key) == "C" else "N"
        case FieldsType():
            at = call.operands[1]
            field = source.field_named(str(at.value)) if isinstance(at, Literal) else None
            number = at.value if isinstance(at, Literal) else None
            if isinstance(number, int) and 1 <= number <= len(source.fields):
                field = source.fields[number - 1]
            if field is None:
                return f"no such field in {source}"
            element, wanted = field.type, kind_of(key)
        case _:
            return f"{source} has no items"
    if kind_of(key) not in (wanted, "0"):
        return f"an item of {source} is not found by {key}"
    return None if alike(element, call.type) else f"an item of {source} is not {call.type}"


def _object_of(call: Call, types: Types) -> str | None:
    if not isinstance(call.type, FieldsType) or len(types) != 1 + 2 * len(call.type.fields):
        return f"{len(types)} operands do not make {call.type}"
    names = tuple(name.value if isinstance(name, Literal) else None for name in call.operands[1::2])
    if names != call.type.names:
        return f"the fields are {', '.join(map(str, names))}, and those of the type {', '.join(call.type.names)}"
    pairs = zip(types[2::2], call.type.fields, strict=True)
    wrong = next((field for type_, field in pairs if kind_of(type_) not in (kind_of(field.type), "0")), None)
    return None if wrong is None else f"the value of field {wrong.name!r} is not {wrong.type}"


def _object_update(call: Call, types: Types) -> str | None:
    source = types[0] if types else None
    if not isinstance(source, FieldsType) or len(types) % 2 == 0:
        return "it takes an object, and a name and a value each time"
    for name, type_ in zip(call.operands[1::2], types[2::2], strict=True):
        field = source.field_named(str(name.value)) if isinstance(name, Literal) else None
        if field is None:
            return f"no such field in {source}"
        if kind_of(type_) not in (kind_of(field.type), "0"):
            return f"the value of field {field.name!r} is not {field.type}"
    return None if alike(source, call.type) else f"it does not give {call.type}"


def _json_value(call: Call, types: Types) -> str | None:
    """Check JSON_VALUE(document, path, behaviours); a behaviour is a keyword or DEFAULT value, then EMPTY or ERROR."""
    kinds = "".join(map(kind_of, types))
    if len(kinds) < 2 or not set(kinds[:2]) <= set("C0") or kind_of(call.type) not in "CNb":
        return "it takes a document and a path, and what is given on EMPTY and on ERROR"
    rest = list(zip(call.operands, kinds, strict=True))[2:]
    while rest:
        behavior, _ = rest.pop(0)
        is_default = isinstance(behavior, Literal) and behavior.value == "DEFAULT"
        if is_default and (not rest or rest.pop(0)[1] not in "CNb0"):
            return "what is given ON EMPTY or ON ERROR is no text, number or truth value"
        when, _ = rest.pop(0) if rest else (None, "")
        if not isinstance(when, Literal) or when.symbol != "JSON_EMPTY_OR_ERROR":
            return "what is given ON EMPTY or ON ERROR lacks a part"
    return None


def _search(call: Call, types: Types) -> str | None:
    if len(call.operands) != 2 or not isinstance(call.operands[1], Sarg):
        return "it takes a value and a set of ranges"
    if kind_of(call.type) != "b":
        return f"it does not give {call.type}"
    return None if kind_of(types[0]) == kind_of(types[1]) else f"{types[0]} is searched in ranges of {types[1]}"


def _first_kind(kind: str, result: str) -> Rule:
    """A rule that checks only the kind of the first operand and of the result."""

    def rule(call: Call, types: Types) -> str | None:
        if not types or kind_of(types[0]) != kind:
            return f"its first operand must be {kind_text(kind)}"
        return None if kind_of(call.type) == result else f"it does not give {call.type}"

    return rule


def _first(call: Call, types: Types) -> str | None:
    """Check that the first operand has the kind of the result."""
    return _branches(call, types[:1]) if types else "it needs an operand"


def _json_object(call: Call, types: Types) -> str | None:
    if len(types) % 2 == 0 or kind_of(types[0]) != "K" or any(kind_of(key) != "C" for key in types[1::2]):
        return "it takes a keyword, and a text and a value each time"
    return None if kind_of(call.type) == "C" else f"it does not give {call.type}"


def _between(call: Call, types: Types) -> str | None:
    return None if len(types) == 3 and kind_of(call.type) == "b" else "it takes a value and two bounds"


def _in(call: Call, types: Types) -> str | None:
    return None if len(types) > 1 and kind_of(call.type) == "b" else "it takes a value and a list"


STRUCTURAL: Mapping[str, Rule] = {
    **dict.fromkeys(("$COALESCE$1", "$IFNULL$1", "$ifNull$1", "$GREATEST$1", "$LEAST$1", "$NULLIF$1"), _same_kind),
    "$CASE$1": _case,
    **dict.fromkeys(("$IF$1", "$ifThenElse$1"), _if),
    "$ROW$1": _row,
    "$ARRAY$1": _array,
    "$MAP$1": _map,
    **dict.fromkeys(("$ITEM$1", "$at$1", "$GET$1", "$get$1"), _item),
    "$OBJECT_OF$1": _object_of,
    "$OBJECT_UPDATE$1": _object_update,
    "$SEARCH$1": _search,
    "$JSON_VALUE$1": _json_value,
    "$PRINTF$1": _first_kind("C", "C"),
    "$JSON_ARRAY$1": _first_kind("K", "C"),
    "$JSON_OBJECT$1": _json_object,
    **dict.fromkeys(("$BETWEEN$1", "$NOT BETWEEN$1", "$NOTBETWEEN$1", "$between$1", "$notBetween$1"), _between),
    **dict.fromkeys(("$IN$1", "$NOT IN$1", "$in$1"), _in),
    "$AS$1": _first,
    "$DEFAULT$1": lambda call, types: None,
    "$concat$1": _same_kind,
    "$extract$1": _first_kind("K", "N"),
}
