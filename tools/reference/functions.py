"""Built-in functions, from their declarations."""

from __future__ import annotations

from types import ModuleType

from compiled_plan.planner.functions import aggregates, registry
from compiled_plan.planner.functions.signatures import Documented, Function
from tools.reference.markdown import code, codes, first_line, table


def functions() -> str:
    """The functions by family."""
    return "\n\n".join(map(_family, registry.FAMILIES))


def _family(family: ModuleType) -> str:
    rows = map(_row, sorted(family.FUNCTIONS, key=lambda item: item.name))
    return f"## {first_line(family.__doc__)}\n\n{table(('function', 'operands', 'in Python', ''), rows)}"


def _row(function: Function) -> tuple[str, ...]:
    # A form has the text of errors, without the name in the first column.
    operands = "<br>".join(code(form.text("")) for form in function.forms)
    names = codes((function.name, *function.aliases))
    return names, operands, *_api(function, () if function.deterministic else ("Not deterministic.",))


def _api(declaration: Documented, remarks: tuple[str, ...]) -> tuple[str, str]:
    """The names in the Table API, and the remarks."""
    forms = declaration.api_forms
    sentences = dict.fromkeys((*(form.doc for form in forms), *remarks))
    return "<br>".join(code(form.signature) for form in forms), " ".join(sentences)


def aggregates_() -> str:
    """The aggregate and window functions."""
    rows = (
        (
            codes((item.name, *item.aliases)),
            " or ".join(map(str, item.counts)),
            item.family,
            *_api(item, ("Needs OVER.",) if item.window else ()),
        )
        for item in sorted(aggregates.AGGREGATES, key=lambda item: item.name)
    )
    return table(("function", "arguments", "of type", "in Python", ""), rows)


def refused() -> str:
    """Unsupported functions of Flink, refused by name."""
    reasons = registry.UNSUPPORTED | aggregates.REFUSED
    return table(("function", "instead"), ((code(name), reasons[name]) for name in sorted(reasons)))
