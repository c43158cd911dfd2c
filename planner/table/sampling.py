"""Samples and splits.

Source: FLIP-155, "Sampling". `sample` without a seed is the document's SQL, WHERE RAND() < fraction. The document calls
its SQL for `split` "logically equivalent": parts by a random number RAND(seed) that must be the same in all parts for
one row. RAND does not guarantee that: its numbers depend on the position of the row in its partition and batch, and for
a table with updates the old row of an update could fall into another part than the row it retracts. With a seed,
therefore, the number is computed from the row itself: the first eight hexadecimal digits of MD5(seed and all columns),
whose text order is their numeric order.
"""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from functools import reduce

from compiled_plan.planner.sql import nodes as ast
from compiled_plan.planner.table.building.nodes import column_at, named
from compiled_plan.planner.table.building.planned import PlannedTable, T
from compiled_plan.planner.table.building.python_literals import exact, node_of
from compiled_plan.planner.table.expressions.core import call_node
from compiled_plan.planner.table.expressions.expression import Expression
from compiled_plan.planner.table.expressions.types import type_node
from compiled_plan.planner.table.selecting import where
from compiled_plan.plans.errors import ProgramError
from compiled_plan.plans.types import CharacterType
from compiled_plan.plans.types.temporal import is_proctime

#: Used hexadecimal digits of the hash: parts are exact to 1 of 16**8.
_DIGITS = 8


def sample(table: T, fraction: object, seed: object) -> T:
    """Sample rows with RAND() < fraction; with a seed, rows whose hash is within the fraction."""
    if not isinstance(fraction, int | float | Decimal) or isinstance(fraction, bool) or not 0 <= fraction <= 1:
        raise ProgramError(
            f"sample() takes a fraction from 0.0 to 1.0, not {fraction!r}", where="sample()", remedy="write sample(0.1)"
        )
    if seed is not None:
        hashed = _hash(table, _checked_seed("sample", seed))
        return where(table, _within(hashed, Fraction(0), Fraction(str(fraction))), "sample")
    condition = ast.Binary("<", call_node("RAND"), exact(fraction))
    return where(table, Expression(named(condition, f"sample({fraction!r})")), "sample")


def split(table: T, weights: object, seed: object) -> list[T]:
    """Split the table into one part per weight."""
    if not isinstance(weights, list | tuple) or not weights:
        raise ProgramError(f"split() takes a list of weights, not {weights!r}", where="split()", remedy="[0.8, 0.2]")
    for weight in weights:
        number = isinstance(weight, int | float | Decimal) and not isinstance(weight, bool)
        if not number or not math.isfinite(weight) or weight < 0:
            raise ProgramError(
                f"split() takes weights that are not negative, not {weight!r}", where="split()", remedy="[0.8, 0.2]"
            )
    parts = [Fraction(str(weight)) for weight in weights]
    whole = sum(parts)
    if not whole:
        raise ProgramError("the weights of split() are all 0", where="split()", remedy="give one above 0")
    ends = [sum(parts[: at + 1], Fraction(0)) / whole for at in range(len(parts))]
    hashed = _hash(table, _checked_seed("split", seed))
    splits: list[T] = []
    for at, end in enumerate(ends):
        begin = ends[at - 1] if at else Fraction(0)
        splits.append(where(table, _within(hashed, begin, end), "split"))
    return splits


def _within(number: ast.Expression, begin: Fraction, end: Fraction) -> Expression:
    """From `begin` (inclusive) to `end` (exclusive); 0 and 1 need no comparison."""
    limits: list[ast.Expression] = []
    if begin > 0:
        limits.append(ast.Binary(">=", number, _limit(begin)))
    if end < 1:
        limits.append(ast.Binary("<", number, _limit(end)))
    if begin >= 1 or begin == end:
        return Expression(ast.TruthValue(False))
    if not limits:
        return Expression(ast.TruthValue(True))
    return Expression(reduce(lambda left, right: ast.Binary("AND", left, right), limits))


def _limit(share: Fraction) -> ast.Expression:
    steps = 16**_DIGITS
    return node_of(f"{min(math.ceil(share * steps), steps - 1):0{_DIGITS}x}")


def _hash(table: PlannedTable, seed: int) -> ast.Expression:
    """SUBSTRING(MD5(CONCAT_WS('|', seed, COALESCE(CAST(a AS STRING), ''), ...)), 1, 8) over all columns."""
    rows = table._rows
    texts: list[ast.Expression] = []
    for place, column in enumerate(rows.visible):
        type_ = rows.rel.row_type.types[column.index]
        if is_proctime(type_):
            continue  # reads the clock at each evaluation
        node = column_at(column.name, place)
        text = node if isinstance(type_, CharacterType) else ast.Cast(node, type_node("STRING"))
        texts.append(Expression(text).if_null("")._node if type_.nullable else text)
    digest = call_node("MD5", call_node("CONCAT_WS", "|", str(seed), *texts))
    return Expression(digest).substring(1, _DIGITS)._node


def _checked_seed(operation: str, seed: object) -> int:
    if not isinstance(seed, int) or isinstance(seed, bool):
        raise ProgramError(
            f"the seed of {operation}() must be a whole number, not {seed!r}", where=f"{operation}()", remedy="seed=7"
        )
    return seed
