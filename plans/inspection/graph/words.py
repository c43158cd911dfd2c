"""Titles of operators in a drawing, as a person says them in a few words: "Join orders with customers"."""

from __future__ import annotations

import re
from collections.abc import Sequence

from compiled_plan.plans.inspection.lineage.operators import OperatorLineage
from compiled_plan.plans.nodes.base import PlanNode
from compiled_plan.plans.nodes.scan import TableSourceScan
from compiled_plan.plans.nodes.sink import Sink

_MOST_NAMES = 3


def title_of(node: PlanNode, tables: Sequence[Sequence[str]], operator: OperatorLineage | None) -> str:
    """The title of a node with its placeholders filled in; `tables` are those that the rows of each input come from."""
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
    """The columns of the key, without the names of tables; empty where it is none, or no columns alone."""
    key = re.sub(r"(?<!\w)\w+\.(?=\w)", "", _text(operator, "key"))
    return key if re.fullmatch(r"\w+(, \w+)*", key) and key != "none" and not key.isdigit() else ""


def _text(operator: OperatorLineage | None, name: str) -> str:
    return "" if operator is None else operator.text(name)


def short(name: str) -> str:
    """A table by its own name, without catalog and database."""
    return name.rpartition(".")[2]


def identifier_of(node: PlanNode) -> str:
    """Catalog, database and name of the table that a scan reads or a sink writes; empty of others."""
    return ".".join(node.tables()[0][1].path) if isinstance(node, TableSourceScan | Sink) else ""


def table_of(node: PlanNode) -> str:
    """Connector and format of a table that is read or written; empty of others."""
    options = [table.options for _, table in node.tables()][:1]
    return ", ".join(each[key] for each in options for key in ("connector", "format", "value.format") if key in each)


def listed(names: Sequence[str]) -> str:
    """Tables in a row: `orders and customers`, `orders, customers and 3 more`; "rows" where there is none."""
    shown = [short(name) for name in names]
    if len(shown) > _MOST_NAMES:
        return f"{', '.join(shown[:2])} and {len(shown) - 2} more"
    return " and ".join([", ".join(shown[:-1]), shown[-1]]) if len(shown) > 1 else (shown or ["rows"])[0]
