"""Bitmaps: Roaring bitmaps as their bytes, which the kernel reads and writes."""

from __future__ import annotations

from compiled_plan.plans.execution.expressions.registry import Family

translates = Family(__name__)
for _name in ("BUILD", "FROM_BYTES", "AND", "ANDNOT", "OR", "XOR"):
    translates.kernel(f"BITMAP_{_name}", "binary")
translates.kernel("BITMAP_CARDINALITY", "bigint")
translates.kernel("BITMAP_TO_ARRAY", "array<int>")
translates.kernel("BITMAP_TO_STRING")
translates.columns("$BITMAP_TO_BYTES$1", apply=lambda bitmap: bitmap)
