"""The signatures of a function: one per method and hint, checked against each other.

Source: FLIP-65, "Resolution Process".
"""

from __future__ import annotations

from collections.abc import Sequence

from compiled_plan.plans.errors import ProgramError
from compiled_plan.plans.functions.definitions import UserDefinedFunction
from compiled_plan.plans.functions.method_types import signature_of
from compiled_plan.plans.functions.methods import check_class, methods_of, takes
from compiled_plan.plans.functions.signature import Signature
from compiled_plan.plans.types.python.bridge import Bridged
from compiled_plan.plans.types.python.type_hints import FunctionHint, function_hints


def signatures_of(function: UserDefinedFunction) -> tuple[Signature, ...]:
    """All signatures of a function, in source order.

    Raises a ProgramError that names method and parameter if a type cannot be extracted, a method does not match its
    hints, or two signatures take equal arguments and differ otherwise.
    """
    class_ = type(function)
    check_class(class_)
    whole = function_hints(class_) or (FunctionHint(),)
    signatures: list[Signature] = []
    # Per hint of the class with input types: the number of methods that it matches, and why it does not match others.
    fitting: dict[FunctionHint, int] = {outer: 0 for outer in whole if outer.input is not None}
    faults: dict[FunctionHint, ProgramError] = {}
    for method, own in methods_of(class_):
        for inner in own or (FunctionHint(),):
            for outer in whole:
                hint = inner.over(outer)
                by_class = inner.input is None and outer.input is not None
                try:
                    signatures.append(signature_of(class_, method, hint))
                except ProgramError as fault:
                    if not by_class:
                        raise
                    faults.setdefault(outer, fault)
                else:
                    fitting[outer] = fitting.get(outer, 0) + 1
    _check_retract(class_, signatures)
    for outer, why in faults.items():
        if not fitting[outer]:
            raise why
    return _distinct(signatures, class_)


def _check_retract(class_: type[UserDefinedFunction], signatures: Sequence[Signature]) -> None:
    for signature in signatures if hasattr(class_, "retract") else ():
        count = 1 + len(signature.arguments)
        if not takes(class_, "retract", count):
            raise ProgramError(
                f"{class_.__qualname__}.retract does not take the arguments of `{signature.method}`",
                remedy="give it the same parameters",
            )


def _distinct(signatures: Sequence[Signature], class_: type) -> tuple[Signature, ...]:
    """Remove duplicates. Raises ProgramError if two take equal arguments and differ in results or methods."""
    distinct: dict[tuple[object, ...], Signature] = {}
    for signature in signatures:
        # The nullability of a result does not distinguish arguments.
        parameters = (tuple(item.type and str(item.type.type) for item in signature.arguments), signature.varargs)
        first = distinct.setdefault(parameters, signature)
        for part, left, right in (
            ("results", str(first.output.type), str(signature.output.type)),
            ("methods", first.method, signature.method),
            ("accumulators", _shown(first.accumulator), _shown(signature.accumulator)),
        ):
            if left != right:
                raise ProgramError(
                    f"{class_.__qualname__} has two signatures that take ({signature.text('').strip('()')}), of "
                    f"different {part}: {left} and {right}",
                    remedy="leave one of them out, or let it take something else",
                )
    return tuple(distinct.values())


def _shown(part: Bridged | None) -> str:
    return "none" if part is None else str(part.type)
