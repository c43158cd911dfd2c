"""Classes of the JVM, by name, without the search that dotted names cost.

`jvm.org.apache.X` asks the JVM whether `org`, then `org.apache`, ... is a class, in each imported package, and each
"no" looks into every jar.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any


@lru_cache(maxsize=64)
def java_class(jvm: Any, name: str) -> Any:
    """The class of that full name: call it to make an object, or its static methods.

    Raises:
        py4j.protocol.Py4JError: there is no such class.
    """
    return getattr(jvm, name)
