"""Rows of a table's changes: their kinds, and their order."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from compiled_plan.plans.execution.interfaces.connectors import DELETE, KIND, ORD, PATH, UPDATE_BEFORE, TableSpec
from compiled_plan.plans.types import quote_identifier

if TYPE_CHECKING:
    from pyspark.sql import Column

    from compiled_plan.plans.execution.lakes.source import Head


def head(table: TableSpec, change: str, kinds: Mapping[str, int], commit: str) -> Head:
    """`kind`, `ord` and `path` of changes: by commit; in a commit by key, the old row of a key before the new one.

    Args:
        table: the table in the plan.
        change: the column with the kind of a row, in the words of the format.
        kinds: the kinds by these words.
        commit: the column with the number of a commit.
    """
    kind = F.coalesce(*(F.when(F.col(change) == word, F.lit(kind)) for word, kind in kinds.items()))
    is_old = kind.isin(UPDATE_BEFORE, DELETE)
    keys = [F.col(quote_identifier(name)) for name in table.primary_key if name in table.used]
    parts = [
        *([_eight_bytes(F.xxhash64(*keys))] if keys else []),
        F.when(is_old, F.lit(bytearray(b"\0"))).otherwise(F.lit(bytearray(b"\1"))),
        _eight_bytes(F.call_function("order_number")),
    ]
    return (
        kind.cast("tinyint").alias(KIND),
        F.col(commit).cast("bigint").alias(ORD),
        F.concat(*parts).alias(PATH),
    )


def _eight_bytes(number: Column) -> Column:
    return F.unhex(F.lpad(F.hex(number), 16, "0"))
