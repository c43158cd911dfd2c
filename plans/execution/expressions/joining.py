"""Many columns joined to one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import Column


def balanced(args: Sequence[Column], join: Callable[[Column, Column], Column]) -> Column:
    """The columns joined in their order, as a tree of little depth: Spark follows trees by recursion."""
    if len(args) == 1:
        return args[0]
    half = len(args) // 2
    return join(balanced(args[:half], join), balanced(args[half:], join))
