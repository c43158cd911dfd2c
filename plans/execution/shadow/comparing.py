"""Comparison of the changes that two programs write into one table, by key.

A table with a primary key is compared by it, and any other by whole rows, with the number of times that each occurs.
The comparison covers the columns of both programs and the keys that one of them wrote. It grows with each round: from
the changes of the rounds before, the last one of each key and a digest of all are kept.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import TYPE_CHECKING

from pyspark.sql import functions as F
from pyspark.sql.types import DataType, MapType, StructType, VariantType

from compiled_plan.plans.execution.interfaces.connectors import (
    DELETE,
    KIND,
    ORD,
    PATH,
    UPDATE_BEFORE,
    TableSpec,
)
from compiled_plan.plans.execution.shadow.records import BATCH
from compiled_plan.plans.execution.shadow.report import Example, Rows
from compiled_plan.plans.execution.spark.storage import Folder

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

#: The columns of kept changes: the key, the place of the last change, its kind, the other columns, the number of times
#: that the row occurs, and the digest of all changes of the key.
_KEY, _AT, _KIND, _VALUES, _COUNT, _DIGEST = KEPT = ("key", "at", "kind", "columns", "occurs", "digest")
_ROUND, _OLD, _NEW, _CASE = "round", "old", "new", "case"
#: So many keys of each case are shown.
_SHOWN = 3
#: The cases of a key.
EQUAL, SEQUENCE, OTHER_VALUES, ONLY_OLD, ONLY_NEW = CASES = ("equal", "sequence", "values", "old", "new")
#: The fields of `Rows` with the number of keys of a case.
_FIELDS = dict(zip(CASES, ("equal", "other_sequence", "other_values", "only_old", "only_new"), strict=True))


@dataclass(frozen=True, slots=True)
class Pair:
    """A table that both programs write.

    Args:
        old: the table of the old program.
        new: the table of the new program.
    """

    old: TableSpec
    new: TableSpec

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that both programs write."""
        return tuple(name for name in self.new.columns.names if name in self.old.columns.names)

    @property
    def key(self) -> tuple[str, ...]:
        """The primary key, if it is the same in both and not empty; otherwise all columns."""
        same = self.old.primary_key == self.new.primary_key and set(self.new.primary_key) <= set(self.columns)
        return self.new.primary_key if same and self.new.primary_key else self.columns

    @property
    def others(self) -> tuple[str, ...]:
        """The columns besides the key."""
        return tuple(name for name in self.columns if name not in self.key)

    @property
    def is_keyed(self) -> bool:
        return self.key != self.columns or bool(self.new.primary_key)


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
        for side, table, rows in ((_OLD, self.pair.old, old), (_NEW, self.pair.new, new)):
            changes = self._changes(table, rows)
            if before:
                changes = self._kept(side, before).select(*KEPT).unionByName(changes)
            _last(changes).write.mode("overwrite").parquet(self._place(side, self._rounds))
        if before:
            self.folder.remove(str(before))

    def rows(self, named: frozenset[str] | None) -> Rows:
        """The result so far.

        Args:
            named: see `named_columns`.
        """
        key = self.pair.key if self.pair.is_keyed else ()
        if not self._rounds:
            return Rows(self.pair.new.identifier, key)
        both = self._both().persist()
        try:
            counted = both.agg(
                *(F.count_if(F.col(_CASE) == case).alias(case) for case in CASES),
                *(F.count_if(_differs(name)).alias(f"{_VALUES}.{name}") for name in self.pair.others),
            ).first()
            assert counted is not None
            columns = {name: counted[f"{_VALUES}.{name}"] for name in self.pair.others}
            cases = {case: counted[case] for case in CASES}
            examples = tuple(self._examples(both, cases)) if sum(cases.values()) > cases[EQUAL] else ()
        finally:
            both.unpersist()
        differing = {name: count for name, count in columns.items() if count}
        is_named = named is None or (not (cases[ONLY_OLD] or cases[ONLY_NEW]) and named.issuperset(differing))
        rows = Rows(self.pair.new.identifier, key, columns=differing, examples=examples, named=is_named)
        return replace(rows, **{name: cases[case] for case, name in _FIELDS.items()})

    # ---- one side

    def _changes(self, table: TableSpec, rows: DataFrame) -> DataFrame:
        """Changes with the columns of `KEPT`."""
        names = list(table.columns.names)
        columns = {name: _comparable(f"f{names.index(name)}", rows) for name in self.pair.columns}
        is_gone = F.col(KIND).isin(UPDATE_BEFORE, DELETE)
        key = F.struct(*(columns[name].alias(name) for name in self.pair.key))
        values = F.struct(*(columns[name].alias(name) for name in self.pair.others), F.lit(0).alias(""))
        return rows.select(
            key.alias(_KEY),
            F.struct(F.lit(self._rounds).alias(_ROUND), BATCH, ORD, PATH).alias(_AT),
            F.col(KIND),
            values.alias(_VALUES),
            F.when(is_gone, -1).otherwise(1).cast("bigint").alias(_COUNT),
            F.xxhash64(KIND, values).alias(_DIGEST),
        )

    def _place(self, side: str, number: int) -> str:
        return self.folder.child(f"{number}/{side}")

    def _kept(self, side: str, number: int) -> DataFrame:
        return self.spark.read.parquet(self._place(side, number))

    # ---- both sides

    def _both(self) -> DataFrame:
        """Each key with its last change of both sides, and its case."""
        sides = (
            self._kept(side, self._rounds).select(
                _KEY,
                *(
                    (F.struct(_KIND, _VALUES, _COUNT, _DIGEST) if own == side else F.lit(None)).alias(own)
                    for own in (_OLD, _NEW)
                ),
            )
            for side in (_OLD, _NEW)
        )
        both = reduce(lambda left, right: left.unionByName(right), sides)
        both = both.groupBy(_KEY).agg(*(F.first(side, ignorenulls=True).alias(side) for side in (_OLD, _NEW)))
        return both.withColumn(_CASE, self._by_key() if self.pair.is_keyed else _by_count())

    def _by_key(self) -> Column:
        """The case of a key, by the last row of both sides."""
        old, new = (_is_there(side) for side in (_OLD, _NEW))
        # A row from before that one program deletes, and the other one does not touch, is in the table of the latter.
        only_old = ~new & (old | F.col(_OLD).isNull())
        only_new = ~old & (new | F.col(_NEW).isNull())
        return (
            F.when(only_old, ONLY_OLD)
            .when(only_new, ONLY_NEW)
            .when(old & ~F.col(f"{_OLD}.{_VALUES}").eqNullSafe(F.col(f"{_NEW}.{_VALUES}")), OTHER_VALUES)
            .when(~_same(_DIGEST), SEQUENCE)
            .otherwise(EQUAL)
        )

    def _examples(self, both: DataFrame, cases: Mapping[str, int]) -> Iterator[Example]:
        for case in CASES[1:]:
            if not cases[case]:
                continue
            shown = both.where(F.col(_CASE) == case).orderBy(_KEY).limit(_SHOWN)
            options = {"ignoreNullFields": "false"}
            columns = [F.to_json(_KEY, options).alias(_KEY)]
            for side in (_OLD, _NEW):
                values = F.struct(*(F.col(f"{side}.{_VALUES}.{name}").alias(name) for name in self.pair.others))
                row = F.to_json(values, options) if self.pair.others else F.lit("{}")
                # Rows without a key have the number of times that they occur.
                text = F.when(_is_there(side), row) if self.pair.is_keyed else F.col(f"{side}.{_COUNT}").cast("string")
                columns.append(text.alias(side))
            yield from (Example(case, *key_and_sides) for key_and_sides in shown.select(*columns).collect())


def _last(changes: DataFrame) -> DataFrame:
    """The last change of each key, with the sum of its counts and the digest of all in their order."""
    ordered = F.array_sort(F.collect_list(F.struct(_AT, _DIGEST)))[_DIGEST]
    digest = F.when(F.count(F.lit(1)) == 1, F.first(_DIGEST)).otherwise(F.xxhash64(ordered))
    last = (F.max_by(name, _AT).alias(name) for name in (_KIND, _VALUES))
    return changes.groupBy(_KEY).agg(F.max(_AT).alias(_AT), *last, F.sum(_COUNT).alias(_COUNT), digest.alias(_DIGEST))


def _is_there(side: str) -> Column:
    """True if the last change of a key is not the end of its row."""
    return F.coalesce(~F.col(f"{side}.{_KIND}").isin(UPDATE_BEFORE, DELETE), F.lit(False))


def _by_count() -> Column:
    """The case of a row, by the number of times that it occurs on both sides."""
    old, new = (F.coalesce(F.col(f"{side}.{_COUNT}"), F.lit(0)) for side in (_OLD, _NEW))
    return F.when(old > new, ONLY_OLD).when(old < new, ONLY_NEW).when(~_same(_DIGEST), SEQUENCE).otherwise(EQUAL)


def _same(name: str) -> Column:
    return F.col(f"{_OLD}.{name}").eqNullSafe(F.col(f"{_NEW}.{name}"))


def _differs(name: str) -> Column:
    """True for a key with other values in a column."""
    return (F.col(_CASE) == OTHER_VALUES) & ~_same(f"{_VALUES}.{name}")


def _comparable(name: str, rows: DataFrame) -> Column:
    """A column that can be compared and ordered: maps and variants as JSON."""
    return F.to_json(F.struct(name)) if _has(rows.schema[name].dataType, MapType, VariantType) else F.col(name)


def _has(type_: DataType, *classes: type[DataType]) -> bool:
    parts: Sequence[DataType] = [field.dataType for field in type_.fields] if isinstance(type_, StructType) else ()
    element = getattr(type_, "elementType", None)
    return isinstance(type_, classes) or any(_has(part, *classes) for part in (*parts, *([element] if element else ())))
