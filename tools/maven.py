"""Downloads of jars for tests and servers; see `plans/files/maven.py`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tools.by_path import product_module

if TYPE_CHECKING:
    from compiled_plan.plans.files.maven import Artifact, FetchError, artifact_of, cache, fetched, replace
else:
    _product = product_module("plans/files/maven.py")
    Artifact, FetchError = _product.Artifact, _product.FetchError
    artifact_of, cache, fetched, replace = _product.artifact_of, _product.cache, _product.fetched, _product.replace

__all__ = [
    "POSTGRES_DRIVER",
    "SQLITE_DRIVER",
    "Artifact",
    "FetchError",
    "artifact_of",
    "cache",
    "fetched",
    "library",
    "replace",
]

_JARS = Path(__file__).resolve().parent / "services" / "jars.txt"


def library(name: str) -> list[Artifact]:
    """A library of tests or servers with its dependencies: a section of `services/jars.txt`."""
    sections = _JARS.read_text(encoding="utf-8").split("[")
    (section,) = (section for section in sections if section.startswith(f"{name}]"))
    return [artifact_of(*line.split()) for line in section.splitlines()[1:] if line]


#: Drivers of the databases in tests.
POSTGRES_DRIVER, SQLITE_DRIVER = library("drivers")
