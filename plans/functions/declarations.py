"""Declared signatures of functions whose code the compiler does not load: `(INT, STRING) -> BIGINT`.

A signature lists the types of the arguments and the result; `name => TYPE` names an argument, and `TYPE...` at the end
takes any number of them. Overloads are separated by semicolons.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from compiled_plan.plans.errors import CompiledPlanError, ProgramError
from compiled_plan.plans.functions.definitions import FunctionKind
from compiled_plan.plans.functions.signature import Argument, Signature
from compiled_plan.plans.nodes.process_table_function import INSTEAD
from compiled_plan.plans.types.parse import parse_type
from compiled_plan.plans.types.python.bridge import Bridged

#: Options of CREATE FUNCTION that declare a function.
SIGNATURE, KIND, DETERMINISTIC = "signature", "kind", "deterministic"
FORM = "write 'signature' = '(INT, STRING) -> BIGINT'"


def declared_signatures(text: str, kind: FunctionKind) -> tuple[Signature, ...]:
    """The signatures of a declaration.

    Raises:
        ProgramError: it is not of that form, or names an unknown type.
    """
    signatures = tuple(_signature(part.strip(), kind) for part in _split(text, ";") if part.strip())
    if not signatures:
        raise ProgramError("the signature is empty", remedy=FORM)
    return signatures


def declared_kind(options: Mapping[str, str]) -> FunctionKind:
    """The kind of a declared function, scalar by default.

    Raises:
        ProgramError: it is no kind of function.
    """
    text = options.get(KIND, FunctionKind.SCALAR.value).strip().upper()
    if text == "PROCESS_TABLE":
        raise ProgramError("process table functions of users cannot run here", remedy=INSTEAD)
    if text not in FunctionKind.__members__:
        known = ", ".join(item.lower() for item in FunctionKind.__members__)
        raise ProgramError(f"{text!r} is no kind of function", remedy=f"write one of {known}")
    return FunctionKind[text]


def _signature(text: str, kind: FunctionKind) -> Signature:
    if not text.startswith("("):
        raise ProgramError(f"the signature {text!r} does not begin with its arguments", remedy=FORM)
    end = _closing(text)
    arrow = text[end + 1 :].strip()
    if not arrow.startswith("->"):
        raise ProgramError(f"the signature {text!r} has no result", remedy=FORM)
    inner = text[1:end].strip()
    arguments, varargs = [], False
    parts = [part.strip() for part in _split(inner, ",")] if inner else []
    for at, part in enumerate(parts):
        varargs = part.endswith("...")
        if varargs and at < len(parts) - 1:
            raise ProgramError(f"only the last argument may be repeated, not {part!r}", remedy=FORM)
        name, named, type_ = part.removesuffix("...").rpartition("=>")
        arguments.append(Argument(name.strip(" `") if named else None, _type(type_)))
    return Signature(kind.method, tuple(arguments), _type(arrow[2:]), varargs)


def _type(text: str) -> Bridged:
    try:
        return Bridged(parse_type(text.strip()))
    except CompiledPlanError as fault:
        raise ProgramError(f"the signature has no type {text.strip()!r}: {fault.message}", remedy=FORM) from None


def _closing(text: str) -> int:
    """The position of the parenthesis that closes the first one.

    Raises:
        ProgramError: there is none.
    """
    for at, depth in _depths(text):
        if depth == 0 and text[at] == ")":
            return at
    raise ProgramError(f"the signature {text!r} lacks a closing parenthesis", remedy=FORM)


def _split(text: str, separator: str) -> list[str]:
    """The parts between separators outside of brackets and quotes."""
    cuts = [at for at, depth in _depths(text) if depth == 0 and text[at] == separator]
    return [text[first:last] for first, last in zip([0, *(at + 1 for at in cuts)], [*cuts, len(text)], strict=True)]


def _depths(text: str) -> Iterator[tuple[int, int]]:
    """The positions outside of quotes, with the number of brackets that are open behind them."""
    depth, quote = 0, ""
    for at, sign in enumerate(text):
        if quote:
            quote = "" if sign == quote else quote
            continue
        if sign in "'`":
            quote = sign
            continue
        is_arrow = sign == ">" and at > 0 and text[at - 1] in "-="
        depth += (sign in "(<") - (sign == ")" or (sign == ">" and not is_arrow))
        yield at, depth
