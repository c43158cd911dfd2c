"""Objects of the kernel that are no other package's affair, for tests of what they do."""

from __future__ import annotations

from typing import Any

from pyspark.sql import SparkSession


class Hidden:
    """A class of the kernel, and an object of it.

    Args:
        spark: the session.
        name: of the class, without the kernel's package.
        made_of: what its constructor gets; None for no object.
    """

    def __init__(self, spark: SparkSession, name: str, made_of: list[Any] | None = None) -> None:
        self._jvm: Any = spark._jvm
        self._gateway: Any = spark.sparkContext._gateway
        self._class = self._jvm.java.lang.Class.forName(f"org.compiledplan.kernel.{name}")
        self.object: Any = None
        if made_of is not None:
            found = self._class.getDeclaredConstructors()
            self.object = self._open(found, len(made_of)).newInstance(self._array(made_of))

    def call(self, method: str, *given: Any) -> Any:
        """What a method gives; a static one where there is no object."""
        found = [each for each in self._class.getDeclaredMethods() if each.getName() == method]
        return self._open(found, len(given)).invoke(self.object, self._array(list(given)))

    def field(self, name: str, of: Any = None) -> Any:
        """A field of an object; of the class where there is none."""
        found = self._class.getDeclaredField(name)
        found.setAccessible(True)
        return found.get(self.object if of is None else of)

    @staticmethod
    def _open(found: Any, parameters: int) -> Any:
        (one,) = (each for each in found if each.getParameterCount() == parameters)
        one.setAccessible(True)
        return one

    def _array(self, items: list[Any]) -> Any:
        array = self._gateway.new_array(self._jvm.java.lang.Object, len(items))
        for at, item in enumerate(items):
            array[at] = item
        return array
