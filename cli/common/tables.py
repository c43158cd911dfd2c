"""Tables on the terminal, with rich, which takes longer to import than all the rest of the output."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence

from rich import box
from rich.console import Console
from rich.table import Table

from compiled_plan.commands.console import console
from compiled_plan.plans.text.visible import visible

_WIDE = 10_000


def print_table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print a table to stdout; see `terminal.print_table`."""
    terminal = console(stderr=False).is_terminal
    table = Table(box=box.SIMPLE_HEAD if terminal else None, pad_edge=False, header_style="bold")
    for name in columns:
        table.add_column(name, overflow="fold", no_wrap=not terminal)
    for row in rows:
        table.add_row(*map(visible, row))
    if terminal:
        console(stderr=False).print(table, soft_wrap=False)
        return
    plain = Console(width=_WIDE, markup=False, highlight=False, emoji=False, no_color=True)
    with plain.capture() as captured:
        plain.print(table)
    sys.stdout.writelines(f"{line.rstrip()}\n" for line in captured.get().splitlines())
