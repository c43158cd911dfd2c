"""Comparison of the changes that two programs write into one table, by key.

It grows with each round: from the changes of the rounds before, the last one of each key and a digest of all are kept.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from compiled_plan.plans.execution.shadow.report import Example, Rows
from compiled_plan.plans.execution.spark.storage import Folder
from compiled_plan.plans.execution.tables.sides import (
    CASE,
    CASES,
    CHANGES,
    COUNT,
    EQUAL,
    KEY,
    NEW,
    OLD,
    VALUES,
    Pair,
    differs,
    is_there,
    last,
)

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

#: So many keys of each case are shown.
SHOWN = 3


@dataclass(slots=True)
class Comparison:
    """The comparison of one table.

    Args:
        spark: a session.
        pair: the table.
        folder: a folder of its own, with the kept changes of both sides.
    """

    spark: SparkSession
    pair: Pair
    folder: Folder
    _rounds: int = 0

    def add(self, old: DataFrame, new: DataFrame) -> None:
        """Add the rows that both programs wrote in a round, see `Records`."""
        before, self._rounds = self._rounds, self._rounds + 1
        for side, table, rows in ((OLD, self.pair.old, old), (NEW, self.pair.new, new)):
            changes = self.pair.changes(table, rows, self._rounds)
            if before:
                changes = self._kept(side, before).select(*CHANGES).unionByName(changes)
            last(changes).write.mode("overwrite").parquet(self._place(side, self._rounds))
        if before:
            self.folder.remove(str(before))

    def last_changes(self) -> tuple[DataFrame, DataFrame] | None:
        """The last change of each key on both sides, see `CHANGES`; None before the first rows."""
        return (self._kept(OLD, self._rounds), self._kept(NEW, self._rounds)) if self._rounds else None

    def rows(self, named: frozenset[str] | None) -> Rows:
        """The result so far.

        Args:
            named: see `named_columns`.
        """
        if not self._rounds:
            return result_of(self.pair, {}, {}, (), named)
        both = self._both().persist()
        try:
            counted = both.agg(
                *(F.count_if(F.col(CASE) == case).alias(case) for case in CASES),
                *(F.count_if(differs(name)).alias(f"{VALUES}.{name}") for name in self.pair.others),
            ).first()
            assert counted is not None
            columns = {name: counted[f"{VALUES}.{name}"] for name in self.pair.others}
            cases = {case: counted[case] for case in CASES}
            examples = tuple(self._examples(both, cases)) if sum(cases.values()) > cases[EQUAL] else ()
        finally:
            both.unpersist()
        return result_of(self.pair, cases, columns, examples, named)

    def _place(self, side: str, number: int) -> str:
        return self.folder.child(f"{number}/{side}")

    def _kept(self, side: str, number: int) -> DataFrame:
        return self.spark.read.parquet(self._place(side, number))

    def _both(self) -> DataFrame:
        return self.pair.both(*(self._kept(side, self._rounds) for side in (OLD, NEW)))

    def _examples(self, both: DataFrame, cases: Mapping[str, int]) -> Iterator[Example]:
        for case in CASES[1:]:
            if not cases[case]:
                continue
            shown = both.where(F.col(CASE) == case).orderBy(KEY).limit(SHOWN)
            options = {"ignoreNullFields": "false"}
            columns = [F.to_json(KEY, options).alias(KEY)]
            for side in (OLD, NEW):
                values = F.struct(*(F.col(f"{side}.{VALUES}.{name}").alias(name) for name in self.pair.others))
                row = F.to_json(values, options) if self.pair.others else F.lit("{}")
                # Rows without a key have the number of times that they occur.
                text = F.when(is_there(side), row) if self.pair.is_keyed else F.col(f"{side}.{COUNT}").cast("string")
                columns.append(text.alias(side))
            yield from (Example(case, *key_and_sides) for key_and_sides in shown.select(*columns).collect())


def result_of(
    pair: Pair,
    cases: Mapping[str, int],
    columns: Mapping[str, int],
    examples: tuple[Example, ...],
    named: frozenset[str] | None,
) -> Rows:
    """The result for a table.

    Args:
        pair: the table.
        cases: number of keys, by case.
        columns: number of keys with other values, by column.
        examples: a few keys that differ.
        named: see `named_columns`.
    """
    equal, sequence, values, only_old, only_new = (cases.get(case, 0) for case in CASES)
    differing = {name: count for name, count in columns.items() if count}
    return Rows(
        pair.new.identifier,
        pair.key if pair.is_keyed else (),
        equal=equal,
        other_sequence=sequence,
        other_values=values,
        only_old=only_old,
        only_new=only_new,
        columns=differing,
        examples=examples,
        named=named is None or (not (only_old or only_new) and named.issuperset(differing)),
    )
