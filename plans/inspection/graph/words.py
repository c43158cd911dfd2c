"""Readable titles of operators in a drawing, in a few words: "Join orders with customers"."""

from __future__ import annotations

import re
from collections.abc import Sequence

from compiled_plan.plans.inspection.lineage.operators import OperatorLineage
from compiled_plan.plans.nodes.base import PlanNode
from compiled_plan.plans.nodes.late_rows import LateRowsNode
from compiled_plan.plans.nodes.scan import TableSourceScan
from compiled_plan.plans.nodes.sink import Sink

_MOST_NAMES = 3


def title_of(node: PlanNode, tables: Sequence[Sequence[str]], operator: OperatorLineage | None) -> str:
    """The title of a node, placeholders filled in; `tables` are the origins of each input's rows."""
    inputs = list(map(listed, tables)) or ["rows"]
    key = _key(operator)
    first, _, last = _text(operator, "ranks").partition(" to ")
    return node.title.format(
        of=inputs[0],
        left=inputs[0],
        right=inputs[-1],
        inputs=listed(inputs),
        distinct=listed(list(dict.fromkeys(inputs))),
        table=next((table.name for _, table in node.tables()), ""),
        by=f" by {key}" if key else "",
        for_each=f" for each {key}" if key else "",
        ranks=last or first,
    )


def _key(operator: OperatorLineage | None) -> str:
    """The key columns without table names; empty without a key, or if the key has computed parts."""
    key = re.sub(r"(?<!\w)\w+\.(?=\w)", "", _text(operator, "key"))
    return key if re.fullmatch(r"\w+(, \w+)*", key) and key != "none" and not key.isdigit() else ""


def _text(operator: OperatorLineage | None, name: str) -> str:
    return "" if operator is None else operator.text(name)


def short(name: str) -> str:
    return name.rpartition(".")[2]


def identifier_of(node: PlanNode) -> str:
    """Catalog, database and name of the table of a scan or sink; empty for other nodes."""
    return ".".join(node.tables()[0][1].path) if isinstance(node, TableSourceScan | Sink) else ""


def table_of(node: PlanNode) -> str:
    """Connector and format of a node's table; empty without a table."""
    options = [] if isinstance(node, LateRowsNode) else [table.options for _, table in node.tables()][:1]
    return ", ".join(
        options[key] for options in options for key in ("connector", "format", "value.format") if key in options
    )


def listed(names: Sequence[str]) -> str:
    """Join table names: `orders and customers`, `orders, customers and 3 more`; "rows" if there are none."""
    shown = [short(name) for name in names]
    if len(shown) > _MOST_NAMES:
        return f"{', '.join(shown[:2])} and {len(shown) - 2} more"
    return " and ".join([", ".join(shown[:-1]), shown[-1]]) if len(shown) > 1 else (shown or ["rows"])[0]
