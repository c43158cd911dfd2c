"""What an operator does, as a person says it in a few words: "Join orders with customers"."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from compiled_plan.plans.inspection.lineage import OperatorLineage
from compiled_plan.plans.inspection.lineage.table_identity import name_of
from compiled_plan.plans.nodes.base import PlanNode
from compiled_plan.plans.nodes.scan import TableSourceScan
from compiled_plan.plans.nodes.sink import Sink
from compiled_plan.plans.nodes.stateless import Calc
from compiled_plan.plans.nodes.table_rules import options_of

_MOST_NAMES = 3


def title_of(node: PlanNode, tables: Sequence[Sequence[str]], operator: OperatorLineage | None) -> str:
    """A few words for an operator.

    Args:
        node: its node.
        tables: for each input the tables that its rows come from.
        operator: what is known of it, if it keeps something.
    """
    if isinstance(node, TableSourceScan):
        return f"Read {name_of(node.scan_table_source.table)}"
    if isinstance(node, Sink):
        return f"Write {name_of(node.dynamic_table_sink.table)}"
    if isinstance(node, Calc):
        return _calc(node)
    words = _TITLES.get(node.kind)
    if words is None:
        return node.kind.replace("-", " ").capitalize()
    return words(_About([listed(each) for each in tables], operator))


def short(name: str) -> str:
    """A table by its own name, without catalog and database."""
    return name.rpartition(".")[2]


def identifier_of(node: PlanNode) -> str:
    """Catalog, database and name of the table that a scan reads or a sink writes; empty of others."""
    if isinstance(node, TableSourceScan):
        return ".".join(node.scan_table_source.table.path)
    return ".".join(node.dynamic_table_sink.table.path) if isinstance(node, Sink) else ""


def table_of(node: PlanNode) -> str:
    """Connector and format of a table that is read or written; empty of others."""
    options = [options_of(table) for _, table in node.tables()][:1]
    return ", ".join(each[key] for each in options for key in ("connector", "format", "value.format") if key in each)


class _About:
    """What is known of an operator.

    Args:
        inputs: the tables of each input in words.
        operator: its properties, if it keeps something.
    """

    def __init__(self, inputs: Sequence[str], operator: OperatorLineage | None) -> None:
        self.inputs = inputs
        self._operator = operator

    def __getitem__(self, name: str) -> str:
        return self._operator.text(name) if self._operator is not None else ""

    @property
    def of(self) -> str:
        """The tables of the first input."""
        return self.inputs[0] if self.inputs else "rows"

    @property
    def key(self) -> str:
        """The columns of the key, without the names of tables; empty where it is none, or no columns alone."""
        found = re.sub(r"(?<!\w)\w+\.(?=\w)", "", self["key"])
        return found if re.fullmatch(r"\w+(, \w+)*", found) and found != "none" and not found.isdigit() else ""


def _calc(node: Calc) -> str:
    plain = all(getattr(each, "kind", None) == "INPUT_REF" for each in node.projection)
    if node.condition is not None:
        return "Filter" if plain else "Filter and compute columns"
    return "Choose columns" if plain else "Compute columns"


def listed(names: Sequence[str]) -> str:
    """Tables in a row: `orders and customers`, `orders, customers and 3 more`; "rows" where there is none."""
    shown = [short(name) for name in names]
    if len(shown) > _MOST_NAMES:
        return f"{', '.join(shown[:2])} and {len(shown) - 2} more"
    return " and ".join([", ".join(shown[:-1]), shown[-1]]) if len(shown) > 1 else (shown or ["rows"])[0]


def _by(found: _About) -> str:
    return f" by {found.key}" if found.key else ""


def _join(found: _About) -> str:
    kind = {"LEFT": "Left join", "RIGHT": "Right join", "FULL": "Full join", "SEMI": "Keep", "ANTI": "Keep"}
    type_ = found["join type"]
    word = {"SEMI": "that are in", "ANTI": "that are not in"}.get(type_, "with")
    return f"{kind.get(type_, 'Join')} {found.inputs[0]} {word} {found.inputs[-1]}"


def _sided(what: str) -> Callable[[_About], str]:
    return lambda found: f"{what} {found.inputs[0]} with {found.inputs[-1]}"


def _over_input(what: str, *, by: bool = True) -> Callable[[_About], str]:
    return lambda found: f"{what} {found.of}{_by(found) if by else ''}"


def _multi_join(found: _About) -> str:
    return f"Join {listed(found.inputs)}"


def _rank(found: _About) -> str:
    first, _, last = found["ranks"].partition(" to ")
    for_each = f" for each {found.key}" if found.key else ""
    return f"First {last or first} of {found.of}{for_each}"


def _deduplicate(found: _About) -> str:
    keeps = found["keeps"].removeprefix("the ") or "one row"
    return f"Keep {keeps}{f' for each {found.key}' if found.key else ''}"


_AGGREGATE = _over_input("Aggregate")
_TITLES: Mapping[str, Callable[[_About], str]] = {
    "values": lambda found: "Constant rows",
    "union": lambda found: f"Union of {listed(list(dict.fromkeys(found.inputs)))}",
    "expand": lambda found: "Expand grouping sets",
    "correlate": lambda found: "Unnest or call a table function",
    "process-table-function": lambda found: "Call a process table function",
    "drop-update-before": lambda found: "Drop rows before updates",
    "watermark-assigner": _over_input("Watermark of", by=False),
    "mini-batch-assigner": lambda found: "Mark mini-batches",
    "lookup-join": lambda found: f"Look up for {found.of}",
    "group-aggregate": _AGGREGATE,
    "local-group-aggregate": _over_input("Pre-aggregate"),
    "global-group-aggregate": _AGGREGATE,
    "incremental-group-aggregate": _AGGREGATE,
    "window-table-function": _over_input("Windows over", by=False),
    "window-aggregate": _over_input("Aggregate windows of"),
    "local-window-aggregate": _over_input("Pre-aggregate windows of"),
    "global-window-aggregate": _over_input("Aggregate windows of"),
    "group-window-aggregate": _over_input("Aggregate windows of"),
    "join": _join,
    "multi-join": _multi_join,
    "interval-join": _sided("Interval join"),
    "temporal-join": _sided("Temporal join"),
    "window-join": _sided("Window join"),
    "rank": _rank,
    "window-rank": _rank,
    "deduplicate": _deduplicate,
    "window-deduplicate": _deduplicate,
    "changelog-normalize": lambda found: f"Latest row of {found.of}{_by(found)}",
    "over-aggregate": _over_input("Running aggregate of"),
    "sort": _over_input("Sort", by=False),
    "temporal-sort": _over_input("Sort", by=False),
    "sort-limit": _over_input("First rows of", by=False),
    "limit": _over_input("First rows of", by=False),
    "match": _over_input("Match a pattern in"),
}
