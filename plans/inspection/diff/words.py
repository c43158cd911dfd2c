"""Readable labels of operators and their positions."""

from __future__ import annotations

import re

from compiled_plan.plans.inspection.diff.sides import PlanPair, PlanSide
from compiled_plan.plans.inspection.judging.kinds import Texts, kind_of
from compiled_plan.plans.nodes.scan import TableSourceScan
from compiled_plan.plans.nodes.sink import Sink

_LONGEST = 120
#: Simplifications: SQL defaults, and SUM over rows as it is planned.
_PLAINER = (
    (re.compile(r" ASC NULLS FIRST"), ""),
    (re.compile(r" DESC NULLS LAST"), " DESC"),
    (re.compile(r"COUNT\(([^()]*)\), SUM0\(\1\)"), r"SUM(\1)"),
)


def words_of(side: PlanSide, node: int) -> str:
    """Label of an operator: `SUM(amount) by customer, of orders`."""
    operator = side.operators.get(node)
    tables = side.lineage.tables[node]
    label = _plain(side, node) if operator is None else kind_of(operator.kind).words(Texts(operator))
    text = f"{label}, of {_listed(tables)}" if tables else label
    for pattern, plain in _PLAINER:
        text = pattern.sub(plain, text)
    if len(tables) == 1:
        text = text.replace(f"{tables[0]}.", "")
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def place_of(both: PlanPair, old: int, new: int) -> str:
    """The new position of an operator if its direct neighbours changed: "behind the new ..."."""
    olds = {match_.new: match_.old for match_ in both.matching.matches}
    parts = []
    for word, before, after in (
        ("behind", both.old.before, both.new.before),
        ("before", both.old.behind, both.new.behind),
    ):
        was = {node for node in before(old) if node in both.old.uids}
        now = {node for node in after(new) if node in both.new.uids}
        came = [node for node in now if olds.get(node) not in was]
        went = [node for node in was if node not in {olds.get(successor) for successor in now}]
        new_ones = [f"{'' if node in olds else 'the new '}{words_of(both.new, node)}" for node in sorted(came)]
        parts += [f"{word} {label}" for label in new_ones]
        parts += [f"no longer {word} {words_of(both.old, node)}" for node in sorted(went)]
    return "; ".join(parts)


def _plain(side: PlanSide, node: int) -> str:
    """Label of a node without properties: a table, a sink, a first phase."""
    plan_node = side.plan.node(node)
    if isinstance(plan_node, TableSourceScan):
        return f"table {plan_node.scan_table_source.table.name}"
    if isinstance(plan_node, Sink):
        return f"sink {plan_node.dynamic_table_sink.table.name}"
    return plan_node.kind.replace("-", " ")


def _listed(names: tuple[str, ...]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
