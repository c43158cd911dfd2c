"""Whole tables: a batch DataFrame as a bounded stream, which the kernel holds meanwhile."""

from __future__ import annotations

import weakref
from contextlib import suppress
from typing import TYPE_CHECKING

from compiled_plan.plans.execution.spark.java import JavaObject, java_class

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_WHOLE = "org.compiledplan.kernel.host.input.WholeTable"


class Held:
    """A DataFrame that the kernel holds during the lifetime of this object."""

    def __init__(self, kernel: JavaObject, id_: str) -> None:
        self.id = id_
        # At exit of the process the JVM ends, too.
        weakref.finalize(self, _release, kernel, id_).atexit = False


def _release(kernel: JavaObject, id_: str) -> None:
    # Nothing to release in a JVM that is gone.
    with suppress(Exception):
        kernel.release(id_)


def whole(frame: DataFrame) -> tuple[DataFrame, Held]:
    """The rows of a batch DataFrame as a stream that ends, and an object to keep alive while it is read."""
    spark = frame.sparkSession
    kernel = java_class(spark._jvm, _WHOLE)
    held = Held(kernel, kernel.hold(frame._jdf))
    return spark.readStream.format(_WHOLE).option("id", held.id).load(), held
