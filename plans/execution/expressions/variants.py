"""VARIANT: Spark's encoding as bytes, which the kernel reads and writes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from compiled_plan.plans.execution.expressions.functions import java
from compiled_plan.plans.execution.expressions.registry import Family

if TYPE_CHECKING:
    from pyspark.sql import Column

translates = Family(__name__)


def _parsed(name: str, text: Column, last_key: Column | None = None) -> Column:
    return java(name, "binary", text.cast("string"), F.lit(False) if last_key is None else last_key)


for _name in ("PARSE_JSON", "TRY_PARSE_JSON"):
    translates.columns(f"${_name}$1", apply=lambda *args, name=_name: _parsed(name, *args))
