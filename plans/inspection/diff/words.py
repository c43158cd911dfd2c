"""What a person calls an operator, and where it stands."""

from __future__ import annotations

import re

from compiled_plan.plans.inspection.diff.sides import Both, PlanSide
from compiled_plan.plans.inspection.judging.kinds import Texts, kind_of
from compiled_plan.plans.nodes.scan import TableSourceScan
from compiled_plan.plans.nodes.sink import Sink

_LONGEST = 120
#: What is so by default, and how SUM over rows is planned.
_PLAINER = (
    (re.compile(r" ASC NULLS FIRST"), ""),
    (re.compile(r" DESC NULLS LAST"), " DESC"),
    (re.compile(r"COUNT\(([^()]*)\), SUM0\(\1\)"), r"SUM(\1)"),
)


def words_of(side: PlanSide, node: int) -> str:
    """An operator in words: `SUM(amount) by customer, of orders`."""
    operator = side.operators.get(node)
    tables = side.lineage.tables[node]
    found = _plain(side, node) if operator is None else kind_of(operator.kind).words(Texts(operator))
    text = f"{found}, of {_listed(tables)}" if tables else found
    for pattern, plain in _PLAINER:
        text = pattern.sub(plain, text)
    if len(tables) == 1:
        text = text.replace(f"{tables[0]}.", "")
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def place_of(both: Both, old: int, new: int) -> str:
    """Where an operator stands now, if operators came or went directly before or behind it: "behind the new ..."."""
    olds = {each.new: each.old for each in both.matching.matches}
    parts = []
    for word, before, after in (
        ("behind", both.old.before, both.new.before),
        ("before", both.old.behind, both.new.behind),
    ):
        was = {each for each in before(old) if each in both.old.uids}
        now = {each for each in after(new) if each in both.new.uids}
        came = [each for each in now if olds.get(each) not in was]
        went = [each for each in was if each not in {olds.get(one) for one in now}]
        new_ones = [f"{'' if each in olds else 'the new '}{words_of(both.new, each)}" for each in sorted(came)]
        parts += [f"{word} {each}" for each in new_ones]
        parts += [f"no longer {word} {words_of(both.old, each)}" for each in sorted(went)]
    return "; ".join(parts)


def _plain(side: PlanSide, node: int) -> str:
    """What has no properties: a table, a sink, a first phase."""
    found = side.plan.node(node)
    if isinstance(found, TableSourceScan):
        return f"table {found.scan_table_source.table.name}"
    if isinstance(found, Sink):
        return f"sink {found.dynamic_table_sink.table.name}"
    return found.kind.replace("-", " ")


def _listed(names: tuple[str, ...]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
