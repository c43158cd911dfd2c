"""Built-in functions, from their declarations."""

from __future__ import annotations

from types import ModuleType

from compiled_plan.planner.functions import aggregates, registry
from compiled_plan.planner.functions.signatures import Function
from tools.reference.markdown import code, codes, first_line, table


def functions() -> str:
    """The functions by families."""
    return "\n\n".join(map(_family, registry.FAMILIES))


def _family(family: ModuleType) -> str:
    rows = map(_row, sorted(family.FUNCTIONS, key=lambda item: item.name))
    return f"## {first_line(family.__doc__)}\n\n{table(('function', 'operands', ''), rows)}"


def _row(function: Function) -> tuple[str, str, str]:
    # A form is shown as in errors; the name is in the first column.
    operands = "<br>".join(code(form.text("")) for form in function.forms)
    names = codes((function.name, *function.aliases))
    return names, operands, "" if function.deterministic else "not deterministic"


def aggregates_() -> str:
    """The aggregate and window functions."""
    rows = (
        (
            codes((item.name, *item.aliases)),
            " or ".join(map(str, item.counts)),
            item.family,
            "needs OVER" if item.window else "",
        )
        for item in sorted(aggregates.AGGREGATES, key=lambda item: item.name)
    )
    return table(("function", "arguments", "of type", ""), rows)


def refused() -> str:
    """Functions of Flink that are refused by name."""
    found = registry.UNSUPPORTED | aggregates.REFUSED
    return table(("function", "instead"), ((code(name), found[name]) for name in sorted(found)))
