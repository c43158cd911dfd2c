"""Session options, from their declarations."""

from __future__ import annotations

from compiled_plan.planner.options.session import OPTIONS, Effect, SessionOption
from compiled_plan.planner.physical import session_options
from tools.reference.markdown import code, codes, table


def options() -> str:
    """The options that have an effect, or are preserved for Flink."""
    rows = (
        (code(name), _value(option), code(option.default), option.effect.value)
        for name, option in OPTIONS.items()
        if option.effect is not Effect.NONE
    )
    return table(("option", "value", "default", ""), rows)


def without_effect() -> str:
    """The options that are checked and otherwise ignored."""
    rows = (
        (code(name), _value(option), code(option.default))
        for name, option in OPTIONS.items()
        if option.effect is Effect.NONE
    )
    return table(("option", "value", "default"), rows)


def _value(option: SessionOption) -> str:
    return codes(option.choices) or option.kind.value


def refused() -> str:
    """Unsupported values."""
    rows = (
        (code(f"{item.key} = {item.value or 'any but the default'}"), item.construct, item.remedy)
        for item in session_options.REFUSED
    )
    return table(("option", "what it would be", "instead"), rows)
