"""Operators over changed inputs: reordered columns, wider types, new columns in between."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tests.support.kernel.harness import Change, Step, Values

#: Fields that name columns, by the input whose columns they are.
_COLUMN = {
    **dict.fromkeys(("time", "rowtime", "filterColumn", "endColumn", "orderColumn", "windowStart", "windowEnd"), 0),
    "leftTime": 0,
    "rightTime": 1,
}
_COLUMNS = {
    **dict.fromkeys(("grouping", "upsertKey", "primaryKeys", "primaryKey", "partition"), 0),
    "leftKeys": 0,
    "rightKeys": 1,
}
_JOINS = ("join", "multi-join", "window-join", "interval-join", "temporal-join", "proctime-temporal-join")


@dataclass(frozen=True)
class Changed:
    """An operator whose inputs have other columns.

    Args:
        old: the old spec.
        orders: per new input, the old column of each new column, None for a new one.
        wider: old types and the types that replace them.
        calls: per new aggregate call, the index of the old one.
    """

    old: dict[str, Any]
    orders: Sequence[Sequence[int | None]]
    wider: dict[str, str]
    calls: Sequence[int]

    @property
    def mapping(self) -> dict[str, Any]:
        """The mapping as the kernel takes it."""
        inputs = [
            [None if column is None else {"input": port, "column": column} for column in order]
            for port, order in enumerate(self.orders)
        ]
        return {"from": self.old["uid"], "to": self.old["uid"], "inputs": inputs, "calls": list(self.calls)}

    @property
    def spec(self) -> dict[str, Any]:
        """The spec of the new operator."""
        new_spec = {name: self._field(name, value) for name, value in self.old.items()}
        new_spec["inputTypes"] = [
            self._types([self.old["inputTypes"][port][at] if at is not None else "STRING" for at in order])
            for port, order in enumerate(self.orders)
        ]
        types = [("STRING" if at is None else self.old["outputTypes"][at]) for at in self._shown]
        new_spec["outputTypes"] = self._types(types)
        return new_spec

    def _types(self, types: Sequence[str]) -> list[str]:
        return [self.wider.get(type_, type_) for type_ in types]

    def _new(self, port: int, column: int) -> int:
        return list(self.orders[port]).index(column)

    def _field(self, name: str, value: Any) -> Any:
        if value is None:
            return None
        if name in _COLUMN:
            return self._new(_COLUMN[name], value)
        if name in _COLUMNS:
            return [self._new(_COLUMNS[name], column) for column in value]
        special: dict[str, Callable[[Any], Any]] = {
            "aggs": self._aggs,
            "orderBy": lambda columns: [{**column, "index": self._new(0, column["index"])} for column in columns],
            "ports": lambda ports: [
                {"key": [self._new(at, column) for column in port["key"]]} for at, port in enumerate(ports)
            ],
            "windowEnds": lambda ends: [self._new(at, column) for at, column in enumerate(ends)],
            "inputUniqueKeys": lambda inputs: [
                [[self._new(at, column) for column in key] for key in keys] for at, keys in enumerate(inputs)
            ],
            "defines": lambda all_: [[self._value(value) for value in values] for values in all_],
            "measures": lambda values: [self._value(value) for value in values],
            "conditions": self._conditions,
        }
        return special[name](value) if name in special else value

    def _value(self, value: dict[str, Any]) -> dict[str, Any]:
        return {**value, "column": self._new(0, value["column"])} if "column" in value else value

    def _aggs(self, aggs: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
        changed_aggs = []
        for at in self.calls:
            agg = {**aggs[at], "args": [self._new(0, column) for column in aggs[at]["args"]]}
            if agg.get("filter", -1) >= 0:
                agg["filter"] = self._new(0, agg["filter"])
            changed_aggs.append(agg)
        return changed_aggs

    def _conditions(self, texts: Sequence[str | None]) -> list[str | None]:
        if self.old["type"] != "multi-join":
            return list(texts)
        return [text and "=".join(str(self._joined(int(column))) for column in text.split("=")) for text in texts]

    def _joined(self, column: int) -> int:
        start = 0
        for port, types in enumerate(self.old["inputTypes"]):
            if column < len(types):
                return start + self._new(port, column)
            column -= len(types)
            start += len(self.orders[port])
        raise AssertionError(column)

    @property
    def _shown(self) -> list[int | None]:
        """Per column of the new output, the old one."""
        widths = [len(types) for types in self.old["inputTypes"]]
        total = len(self.old["outputTypes"])
        shown: list[int | None] = []
        if self.old["type"] in _JOINS and total == sum(widths):
            for port, order in enumerate(self.orders):
                start = sum(widths[:port])
                shown += [None if at is None else start + at for at in order]
            return shown
        aggs = len(self.old.get("aggs", ()))
        if "grouping" in self.old:
            head = len(self.old["grouping"])
            shown = list(range(head))
        elif self.old["type"] == "match-recognize":
            return list(range(total))
        elif self.old["type"] == "changelog-normalize":
            head = total
            return [at for at in self.orders[0] if at is None or at < head]
        else:
            head = widths[0]
            shown = list(self.orders[0])
        shown += [head + call for call in self.calls]
        return [*shown, *range(head + aggs, total)]

    def row(self, row: Change) -> Change:
        """A row of the new input."""
        values = [None if at is None else row.values[at] for at in self.orders[row.port]]
        return replace(row, values=tuple(values))

    def steps(self, steps: Sequence[Step]) -> list[Step]:
        """The micro-batches for the new operator."""
        return [replace(step, rows=[self.row(row) for row in step.rows]) for step in steps]

    def shown_before(self, out: Sequence[Change]) -> list[Change]:
        """The new operator's output in the columns of the old one."""
        shown = self._shown
        places = sorted((at, place) for place, at in enumerate(shown) if at is not None)
        translated = []
        for change in out:
            assert len(change.values) == len(shown)
            values: Values = tuple(change.values[place] for _, place in places)
            translated.append(replace(change, values=values))
        return translated
