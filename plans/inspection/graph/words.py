"""Titles of operators in a drawing, as a person says them in a few words: "Join orders with customers"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from compiled_plan.plans.inspection.lineage import OperatorLineage
from compiled_plan.plans.inspection.lineage.table_identity import name_of
from compiled_plan.plans.nodes.base import PlanNode
from compiled_plan.plans.nodes.scan import TableSourceScan
from compiled_plan.plans.nodes.sink import Sink
from compiled_plan.plans.nodes.table_rules import options_of

_MOST_NAMES = 3


def title_of(node: PlanNode, tables: Sequence[Sequence[str]], operator: OperatorLineage | None) -> str:
    """A few words for an operator.

    Args:
        node: its node.
        tables: for each input the tables that its rows come from.
        operator: what is known of it, if it keeps something.
    """
    return node.title.format_map(_Placeholders(node, tuple(map(listed, tables)), operator))


def short(name: str) -> str:
    """A table by its own name, without catalog and database."""
    return name.rpartition(".")[2]


def identifier_of(node: PlanNode) -> str:
    """Catalog, database and name of the table that a scan reads or a sink writes; empty of others."""
    return ".".join(node.tables()[0][1].path) if isinstance(node, TableSourceScan | Sink) else ""


def table_of(node: PlanNode) -> str:
    """Connector and format of a table that is read or written; empty of others."""
    options = [options_of(table) for _, table in node.tables()][:1]
    return ", ".join(each[key] for each in options for key in ("connector", "format", "value.format") if key in each)


def listed(names: Sequence[str]) -> str:
    """Tables in a row: `orders and customers`, `orders, customers and 3 more`; "rows" where there is none."""
    shown = [short(name) for name in names]
    if len(shown) > _MOST_NAMES:
        return f"{', '.join(shown[:2])} and {len(shown) - 2} more"
    return " and ".join([", ".join(shown[:-1]), shown[-1]]) if len(shown) > 1 else (shown or ["rows"])[0]


@dataclass(frozen=True, slots=True)
class _Placeholders:
    """The values of the placeholders of `PlanNode.title`."""

    node: PlanNode
    tables: tuple[str, ...]  # the tables of each input in words
    operator: OperatorLineage | None  # its properties, if it keeps something

    def __getitem__(self, name: str) -> str:
        return str(getattr(self, f"_{name}"))

    @property
    def _of(self) -> str:
        return self.tables[0] if self.tables else "rows"

    @property
    def _left(self) -> str:
        return self.tables[0]

    @property
    def _right(self) -> str:
        return self.tables[-1]

    @property
    def _inputs(self) -> str:
        return listed(self.tables)

    @property
    def _distinct(self) -> str:
        return listed(list(dict.fromkeys(self.tables)))

    @property
    def _table(self) -> str:
        return name_of(self.node.tables()[0][1])

    @property
    def _by(self) -> str:
        return f" by {self._key}" if self._key else ""

    @property
    def _for_each(self) -> str:
        return f" for each {self._key}" if self._key else ""

    @property
    def _ranks(self) -> str:
        first, _, last = self._text("ranks").partition(" to ")
        return last or first

    @property
    def _key(self) -> str:
        """The columns of the key, without the names of tables; empty where it is none, or no columns alone."""
        key = re.sub(r"(?<!\w)\w+\.(?=\w)", "", self._text("key"))
        return key if re.fullmatch(r"\w+(, \w+)*", key) and key != "none" and not key.isdigit() else ""

    def _text(self, name: str) -> str:
        return self.operator.text(name) if self.operator is not None else ""
