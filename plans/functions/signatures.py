"""The signatures of a function: one for each of its methods and hints, checked against each other.

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
    """All signatures of a function, in the order in which they are written.

    A type that cannot be had, a method that does not fit its hints, or two signatures that take the same and differ
    raise a ProgramError that names method and parameter.
    """
    class_ = type(function)
    check_class(class_)
    whole = function_hints(class_) or (FunctionHint(),)
    signatures: list[Signature] = []
    # Of hints of the class that say what goes in: the methods that they fit, and why they do not fit others.
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
    """The signatures, each once. Raises ProgramError where two take the same and differ in results or methods."""
    distinct: dict[tuple[object, ...], Signature] = {}
    for signature in signatures:
        # Whether a result may be NULL says nothing of what goes in.
        taken = (tuple(item.type and str(item.type.type) for item in signature.arguments), signature.varargs)
        first = distinct.setdefault(taken, signature)
        for what, left, right in (
            ("results", str(first.output.type), str(signature.output.type)),
            ("methods", first.method, signature.method),
            ("accumulators", _shown(first.accumulator), _shown(signature.accumulator)),
        ):
            if left != right:
                raise ProgramError(
                    f"{class_.__qualname__} has two signatures that take ({signature.text('').strip('()')}), of "
                    f"different {what}: {left} and {right}",
                    remedy="leave one of them out, or let it take something else",
                )
    return tuple(distinct.values())


def _shown(part: Bridged | None) -> str:
    return "none" if part is None else str(part.type)
