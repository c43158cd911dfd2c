"""What a person calls an operator, and where it stands."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from compiled_plan.plans.inspection.diff.sides import Both, PlanSide
from compiled_plan.plans.inspection.lineage import OperatorLineage
from compiled_plan.plans.inspection.lineage.table_identity import name_of
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
    found = _plain(side, node) if operator is None else _WORDS.get(operator.kind, _kind)(_Properties(operator))
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
        return f"table {name_of(found.scan_table_source.table)}"
    if isinstance(found, Sink):
        return f"sink {name_of(found.dynamic_table_sink.table)}"
    return found.kind.replace("-", " ")


def _listed(names: tuple[str, ...]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


class _Properties:
    """The properties of an operator in words."""

    def __init__(self, operator: OperatorLineage) -> None:
        self.operator, self.kind = operator, operator.kind
        self._texts = {each.name: ", ".join(item.text for item in each.items) for each in operator.properties}

    def __getitem__(self, name: str) -> str:
        return self._texts.get(name, "")

    @property
    def by(self) -> str:
        return f" by {self['key']}" if self["key"] else ""

    @property
    def for_each(self) -> str:
        return f" for each {self['key']}" if self["key"] else ""


def _kind(found: _Properties) -> str:
    return found.kind.replace("-", " ") + found.by


def _aggregate(found: _Properties) -> str:
    if not found["aggregates"]:
        return f"distinct {found['key']}" if found["key"] else "whether there are rows"
    return found["aggregates"] + found.by


def _window_aggregate(found: _Properties) -> str:
    return f"{found['aggregates'] or 'windows'}{found.by} in {found['window']}"


def _join(found: _Properties) -> str:
    type_ = found["join type"].lower()
    kind = found.kind.replace("-", " ")
    on = f" on {found['left key']} = {found['right key']}" if found["left key"] else ""
    return f"{type_} {kind}{on}".strip()


def _deduplicate(found: _Properties) -> str:
    return f"{found['keeps']}{found.for_each} by {found['order']}"


def _rank(found: _Properties) -> str:
    ranks = found.operator.value("ranks")
    rows = f"first {ranks[1]}" if ranks and ranks[0] == 1 and ranks[1] is not None else f"ranks {found['ranks']}"
    order = f" ordered by {found['order']}" if found["order"] else ""
    return f"{rows}{order}{found.for_each}"


def _normalize(found: _Properties) -> str:
    return f"last row{found.for_each}"


def _over(found: _Properties) -> str:
    return (
        f"{found['aggregates'] or found['aggregates 1']} over rows ordered by {found['order'] or found['order 1']}"
        + (found.by)
    )


def _sink(found: _Properties) -> str:
    return f"rows of sink {found['table'].partition(' ')[0]} by primary key {found['primary key']}"


def _sort(found: _Properties) -> str:
    return f"rows sorted by {found['order']}"


def _match(found: _Properties) -> str:
    pattern = re.sub(r"[()']", "", found["pattern"]).replace(" PATTERN_CONCAT ", " ")
    return f"matches of ({pattern}){found.by}"


def _multi_join(found: _Properties) -> str:
    return "join of many"


_WORDS: Mapping[str, Callable[[_Properties], str]] = {
    "group-aggregate": _aggregate,
    "window-aggregate": _window_aggregate,
    "join": _join,
    "multi-join": _multi_join,
    "interval-join": _join,
    "temporal-join": _join,
    "window-join": _join,
    "deduplicate": _deduplicate,
    "window-deduplicate": _deduplicate,
    "rank": _rank,
    "window-rank": _rank,
    "changelog-normalize": _normalize,
    "over-aggregate": _over,
    "materialising sink": _sink,
    "temporal-sort": _sort,
    "match": _match,
}
