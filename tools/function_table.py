"""Write `planner/functions/README.md`: the built-in functions, from their declarations.

python -m tools.function_table
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from types import ModuleType

from planner.functions import aggregates, registry
from planner.functions.signatures import Function

PAGE = Path(__file__).resolve().parent.parent / "planner/functions/README.md"

_START = """\
# Built-in functions

Made by `make docs` from the declarations in this folder. Names, operands, result types and values are those of
Flink 2.3. A name that is in neither list is unknown: compiling says which known names are like it.
"""


def page() -> str:
    """The whole page."""
    return "\n".join([_START, *_families(), *_aggregates(), *_refused()])


def _families() -> Iterator[str]:
    for family in registry.FAMILIES:
        yield f"## {_title(family)}\n"
        yield from _table(("function", "operands", ""), map(_row, sorted(family.FUNCTIONS, key=lambda item: item.name)))


def _title(module: ModuleType) -> str:
    return str(module.__doc__).partition("\n")[0].rstrip(".")


def _row(function: Function) -> tuple[str, str, str]:
    names = ", ".join(f"`{name}`" for name in (function.name, *function.aliases))
    # A form is shown as in errors; the name is in the first column.
    operands = "<br>".join(f"`{form.text('')}`" for form in function.forms)
    return names, operands, "" if function.deterministic else "not deterministic"


def _aggregates() -> Iterator[str]:
    yield "## Aggregates and window functions\n"
    rows = (
        (
            ", ".join(f"`{name}`" for name in (item.name, *item.aliases)),
            " or ".join(map(str, item.counts)),
            item.family,
            "needs OVER" if item.window else "",
        )
        for item in sorted(aggregates.AGGREGATES, key=lambda item: item.name)
    )
    yield from _table(("function", "arguments", "of type", ""), rows)


def _refused() -> Iterator[str]:
    yield "## Functions of Flink that are refused\n"
    refused = registry.UNSUPPORTED | aggregates.REFUSED
    yield from _table(("function", "instead"), ((f"`{name}`", refused[name]) for name in sorted(refused)))


def _table(titles: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> Iterator[str]:
    for cells in (titles, ("---",) * len(titles), *rows):
        yield f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"
    yield ""


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
