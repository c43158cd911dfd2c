"""Differences of two meanings: of types, and of expressions over them."""

from __future__ import annotations

import pytest

from compiled_plan.plans.inspection.lineage.plans import lineage_of
from compiled_plan.plans.inspection.lineage.shifts import Shift, relate, widened
from compiled_plan.plans.types import parse_type
from tests.support.diffs import ORDERS, compiled


@pytest.mark.parametrize(
    ("old", "new", "shift"),
    [
        ("INT", "INT NOT NULL", Shift.NONE),
        ("INT", "BIGINT", Shift.WIDER),
        ("TINYINT", "INT", Shift.WIDER),
        ("BIGINT", "INT", None),
        ("INT", "DOUBLE", None),
        ("INT", "DECIMAL(10, 0)", None),
        ("DECIMAL(10, 2)", "DECIMAL(12, 2)", Shift.WIDER),
        ("DECIMAL(10, 2)", "DECIMAL(12, 4)", Shift.FINER),
        ("DECIMAL(10, 2)", "DECIMAL(10, 4)", None),
        ("FLOAT", "DOUBLE", Shift.FINER),
        ("VARCHAR(5)", "VARCHAR(9)", Shift.WIDER),
        ("VARCHAR(9)", "VARCHAR(5)", None),
        ("CHAR(5)", "VARCHAR(9)", None),
        ("TIMESTAMP(3)", "TIMESTAMP(6)", Shift.FINER),
        ("TIMESTAMP(3)", "TIMESTAMP_LTZ(3)", None),
        ("ARRAY<INT>", "ARRAY<BIGINT>", None),
    ],
)
def test_types(old: str, new: str, shift: Shift | None) -> None:
    assert widened(parse_type(old), parse_type(new)) == shift


@pytest.mark.parametrize(
    ("old", "new", "after", "shift"),
    [
        ("v", "v", " v BIGINT", Shift.WIDER),
        ("v", "w", " v INT", None),
        ("v + 1", "v + 2", " v INT", None),
        ("v + 1", "v + 1", " v BIGINT", Shift.WIDER | Shift.COMPUTED),
        ("v > 1", "v > 1", " v BIGINT", Shift.WIDER),
        ("CASE WHEN v > 1 THEN v END", "CASE WHEN v > 1 THEN v END", " v BIGINT", Shift.WIDER),
        ("CAST(v AS STRING)", "CAST(v AS STRING)", " v BIGINT", Shift.WIDER),
        ("CAST(v AS BIGINT)", "v", " v BIGINT", Shift.NONE),
        ("CAST(d AS INT)", "CAST(d AS BIGINT)", " v INT", Shift.WIDER | Shift.COMPUTED),
        ("UPPER(shop)", "LOWER(shop)", " v INT", None),
    ],
)
def test_expressions(old: str, new: str, after: str, shift: Shift | None) -> None:
    sink = "CREATE TABLE x (a STRING) WITH ('connector' = 'blackhole');\n"
    result = []
    for text, own in ((old, ORDERS), (new, ORDERS.replace(" v INT", after))):
        plan = compiled(
            f"CREATE VIEW y AS SELECT {text} AS a FROM orders; INSERT INTO x SELECT CAST(a AS STRING) FROM y;",
            own=own + sink,
        )
        (branch,) = lineage_of(plan).flows[plan.sinks[0].id]
        result.append(branch.columns[0])
    related = relate(*result)
    # The cast for the sink is transparent to wider types.
    assert (related if related is None else related & ~Shift.WIDER) == (
        shift if shift is None else shift & ~Shift.WIDER
    )
