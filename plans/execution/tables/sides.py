"""Two sides of a table compared by key: the last change of each key on both, and its case.

A table with a primary key is compared by it, and any other by whole rows, with the number of times that each occurs.
The comparison covers the columns of both sides and the keys that one of them wrote.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING

from pyspark.sql import functions as F
from pyspark.sql.types import ArrayType, DataType, MapType, StructType, VariantType

from compiled_plan.plans.execution.interfaces.connectors import (
    DELETE,
    INSERT,
    KIND,
    ORD,
    PATH,
    UPDATE_AFTER,
    UPDATE_BEFORE,
    TableSpec,
)
from compiled_plan.plans.execution.tables.records import BATCH

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

#: The columns of changes: the key, the place of the last change, its kind, the other columns, those of them that are
#: compared in another form, the number of times that the row occurs, and the digest of all changes of the key.
CHANGES = ("key", "at", "kind", "columns", "originals", "occurs", "digest")
KEY, AT, _KIND, VALUES, _ORIGINALS, COUNT, DIGEST = CHANGES
OLD, NEW, CASE = "old", "new", "case"
#: The number of a key's bucket. A task has the sums of all buckets in memory; a key that differs makes those of its
#: bucket be compared.
BUCKET, _BUCKETS = "bucket", 1 << 16
_HALF = 0xFFFFFFFF
#: Options of Spark's JSON, whose times have milliseconds by default.
_EXACT = dict.fromkeys(("timestampFormat", "timestampNTZFormat"), "yyyy-MM-dd'T'HH:mm:ss.SSSSSS")
_ROUND = "round"
#: The cases of a key.
EQUAL, SEQUENCE, OTHER_VALUES, ONLY_OLD, ONLY_NEW = CASES = ("equal", "sequence", "values", "old", "new")


@dataclass(frozen=True, slots=True)
class Pair:
    """A table on both sides.

    Args:
        old: the table of the old program.
        new: the table of the new program.
    """

    old: TableSpec
    new: TableSpec

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of both sides."""
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

    def changes(self, table: TableSpec, rows: DataFrame, number: int = 0) -> DataFrame:
        """Changes with the columns of `CHANGES`.

        Args:
            table: the table of the side that wrote them.
            rows: recorded rows, see `Records`.
            number: the number of their round, later than earlier ones.
        """
        names = list(table.columns.names)
        values = F.struct(*_comparable(table, rows, self.others), F.lit(0).alias(""))
        originals = (F.col(f"f{names.index(name)}").alias(name) for name in self._originals(table, rows))
        return rows.select(
            self._key_of(table, rows),
            F.struct(F.lit(number).alias(_ROUND), BATCH, ORD, PATH).alias(AT),
            F.col(KIND),
            values.alias(VALUES),
            F.struct(*originals, F.lit(0).alias("")).alias(_ORIGINALS),
            F.when(_is_gone(), -1).otherwise(1).cast("bigint").alias(COUNT),
            _digest(table, rows, self.others, F.col(KIND)).alias(DIGEST),
        )

    def both(self, old: DataFrame, new: DataFrame) -> DataFrame:
        """Each key with its last change of both sides, and its case."""
        sides = (
            frame.select(
                KEY,
                *(
                    (F.struct(_KIND, VALUES, _ORIGINALS, COUNT, DIGEST) if own == side else F.lit(None)).alias(own)
                    for own in (OLD, NEW)
                ),
            )
            for side, frame in ((OLD, old), (NEW, new))
        )
        both = _union(sides).groupBy(KEY).agg(*(F.first(side, ignorenulls=True).alias(side) for side in (OLD, NEW)))
        return both.withColumn(CASE, _by_key() if self.is_keyed else _by_count())

    def buckets(self, old: DataFrame, new: DataFrame) -> DataFrame:
        """Buckets of keys, with the number of old rows in `old`, and True in `case` if keys of it may differ.

        Sums of digests are shuffled, and no rows. Where all rows are inserts and the sums are equal, each key has one
        row on each side, and the same one.

        Args:
            old: recorded rows, see `Records`, one of each key.
            new: recorded rows of the other side.
        """
        sides = []
        for sign, table, rows in ((1, self.old, old), (-1, self.new, new)):
            digest = _digest(table, rows, self.columns)
            sides.append(
                rows.select(
                    self._bucket(table, rows),
                    F.lit(max(sign, 0)).alias(OLD),
                    F.lit(sign).alias(COUNT),
                    F.when(F.col(KIND) != INSERT, 1).otherwise(0).alias(_KIND),
                    # The sums of the halves do not overflow.
                    (digest.bitwiseAND(_HALF) * sign).alias("low"),
                    (F.shiftright(digest, 32) * sign).alias("high"),
                )
            )
        sums = (COUNT, _KIND, "low", "high")
        buckets = _union(sides).groupBy(BUCKET).agg(*(F.sum(name).alias(name) for name in (OLD, *sums)))
        may_differ = reduce(lambda left, right: left | right, (F.col(name) != 0 for name in sums))
        return buckets.select(BUCKET, OLD, may_differ.alias(CASE))

    def inside(self, table: TableSpec, rows: DataFrame, buckets: DataFrame) -> DataFrame:
        """The recorded rows of the keys in some buckets.

        Args:
            table: the table of the side that wrote them.
            rows: recorded rows.
            buckets: the numbers of the buckets.
        """
        numbered = rows.select("*", self._bucket(table, rows))
        return numbered.join(F.broadcast(buckets), BUCKET, "left_semi").select(*rows.columns)

    def suspects(self, old: DataFrame, new: DataFrame) -> DataFrame:
        """The keys of recorded rows, each with True if it may differ: without exactly one, equal row on both sides.

        Nothing is sorted, and no row shuffled but its key and a digest of the others.
        """
        sides = (
            rows.select(
                self._key_of(table, rows),
                *((F.lit(1) if own == side else F.lit(0)).alias(own) for own in (OLD, NEW)),
                F.when(_is_gone(), 1).otherwise(0).alias(_KIND),
                _digest(table, rows, self.others).alias(DIGEST),
            )
            for side, table, rows in ((OLD, self.old, old), (NEW, self.new, new))
        )
        sums = (F.sum(name).alias(name) for name in (OLD, NEW, _KIND))
        keys = _union(sides).groupBy(KEY).agg(*sums, F.bit_xor(DIGEST).alias(DIGEST))
        equal = (F.col(OLD) == 1) & (F.col(NEW) == 1) & (F.col(_KIND) == 0) & (F.col(DIGEST) == 0)
        return keys.select(KEY, (~equal).alias(CASE))

    def among(self, table: TableSpec, rows: DataFrame, keys: DataFrame, *, inside: bool = True) -> DataFrame:
        """The recorded rows of some keys of a primary key.

        Args:
            table: the table of the side that wrote them.
            rows: recorded rows.
            keys: the keys, in the column `key`.
            inside: False for the rows of all other keys.
        """
        names = {name: f"f{table.columns.names.index(name)}" for name in self.key}
        columns = (F.col(KEY).getField(name).alias(column) for name, column in names.items())
        return rows.join(keys.select(*columns), [*names.values()], "left_semi" if inside else "left_anti").select(
            *rows.columns
        )

    def difference(self, old: DataFrame, new: DataFrame) -> DataFrame:
        """The rows that turn the old table into the new one: `kind`, `ord`, `path`, `f0`, ...; of equal keys with null.

        Args:
            old: changes of the keys to compare, of a table with a primary key.
            new: the same, of the other side.
        """
        both = self.both(last(old), last(new))
        originals = [name for name in new.select(f"{_ORIGINALS}.*").columns if name]
        was, will = is_there(OLD), is_there(NEW)
        kind = F.when(was & ~will, DELETE).when(will & ~was, INSERT).when(~_same(VALUES), UPDATE_AFTER)
        columns = (self._sent(name, originals).alias(f"f{at}") for at, name in enumerate(self.new.columns.names))
        head = (kind.cast("tinyint").alias(KIND), F.lit(0).cast("bigint").alias(ORD), F.lit(None).cast("binary"))
        return both.where(was | will).select(*head[:2], head[2].alias(PATH), *columns)

    def _key_of(self, table: TableSpec, rows: DataFrame) -> Column:
        return F.struct(*_comparable(table, rows, self.key)).alias(KEY)

    def _bucket(self, table: TableSpec, rows: DataFrame) -> Column:
        return F.pmod(_digest(table, rows, self.key), F.lit(_BUCKETS)).cast("int").alias(BUCKET)

    def _sent(self, name: str, originals: Sequence[str]) -> Column:
        """A column of the new row; of a deletion that of the old row."""
        if name in self.key:
            return F.col(KEY)[name]
        place = _ORIGINALS if name in originals else VALUES
        old, new = (F.col(side)[place][name] for side in (OLD, NEW))
        return F.when(is_there(NEW), new).otherwise(old)

    def _originals(self, table: TableSpec, rows: DataFrame) -> tuple[str, ...]:
        """The columns besides the key that are compared in another form."""
        names = list(table.columns.names)
        types = {name: rows.schema[f"f{names.index(name)}"].dataType for name in self.others}
        return tuple(name for name, type_ in types.items() if _has(type_, MapType, VariantType))


def last(changes: DataFrame) -> DataFrame:
    """The last change of each key, with the sum of its counts and the digest of all in their order."""
    ordered = F.array_sort(F.collect_list(F.struct(AT, DIGEST)))[DIGEST]
    digest = F.when(F.count(F.lit(1)) == 1, F.first(DIGEST)).otherwise(F.xxhash64(ordered))
    newest = (F.max_by(name, AT).alias(name) for name in (_KIND, VALUES, _ORIGINALS))
    return changes.groupBy(KEY).agg(F.max(AT).alias(AT), *newest, F.sum(COUNT).alias(COUNT), digest.alias(DIGEST))


def is_there(side: str) -> Column:
    """True if the last change of a key is not the end of its row."""
    return F.coalesce(~F.col(f"{side}.{_KIND}").isin(UPDATE_BEFORE, DELETE), F.lit(False))


def differs(name: str) -> Column:
    """True for a key with other values in a column."""
    return (F.col(CASE) == OTHER_VALUES) & ~_same(f"{VALUES}.{name}")


def _by_key() -> Column:
    """The case of a key, by the last row of both sides."""
    old, new = (is_there(side) for side in (OLD, NEW))
    # A row from before that one program deletes, and the other one does not touch, is in the table of the latter.
    only_old = ~new & (old | F.col(OLD).isNull())
    only_new = ~old & (new | F.col(NEW).isNull())
    return (
        F.when(only_old, ONLY_OLD)
        .when(only_new, ONLY_NEW)
        .when(old & ~F.col(f"{OLD}.{VALUES}").eqNullSafe(F.col(f"{NEW}.{VALUES}")), OTHER_VALUES)
        .when(~_same(DIGEST), SEQUENCE)
        .otherwise(EQUAL)
    )


def _by_count() -> Column:
    """The case of a row, by the number of times that it occurs on both sides."""
    old, new = (F.coalesce(F.col(f"{side}.{COUNT}"), F.lit(0)) for side in (OLD, NEW))
    return F.when(old > new, ONLY_OLD).when(old < new, ONLY_NEW).when(~_same(DIGEST), SEQUENCE).otherwise(EQUAL)


def _union(frames: Iterable[DataFrame]) -> DataFrame:
    return reduce(lambda left, right: left.unionByName(right), frames)


def _same(name: str) -> Column:
    return F.col(f"{OLD}.{name}").eqNullSafe(F.col(f"{NEW}.{name}"))


def _is_gone() -> Column:
    """True for a recorded row that ends the one before it."""
    return F.col(KIND).isin(UPDATE_BEFORE, DELETE)


def _comparable(table: TableSpec, rows: DataFrame, names: Sequence[str]) -> list[Column]:
    """Columns that can be compared and ordered: maps and variants as JSON."""
    return [_or_json(table, rows, name, MapType, VariantType).alias(name) for name in names]


def _digest(table: TableSpec, rows: DataFrame, names: Sequence[str], *before: Column) -> Column:
    """A digest of columns behind others that are never null. Spark's hash ignores nulls, so their places are part."""
    columns = [_or_json(table, rows, name, MapType, VariantType, ArrayType, StructType) for name in names]
    return F.xxhash64(*before, *columns, *(column.isNull() for column in columns))


def _or_json(table: TableSpec, rows: DataFrame, name: str, *classes: type[DataType]) -> Column:
    """A column of recorded rows; as JSON if its type has a part of some classes."""
    field = f"f{table.columns.names.index(name)}"
    return F.to_json(F.struct(field), _EXACT) if _has(rows.schema[field].dataType, *classes) else F.col(field)


def _has(type_: DataType, *classes: type[DataType]) -> bool:
    parts: Sequence[DataType] = [field.dataType for field in type_.fields] if isinstance(type_, StructType) else ()
    element = getattr(type_, "elementType", None)
    return isinstance(type_, classes) or any(_has(part, *classes) for part in (*parts, *([element] if element else ())))
