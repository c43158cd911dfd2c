"""Registry of specs by name. A spec's module is imported at its first lookup, so a command loads only those it uses.

To add a connector or format, add a module to `specs` or `formats`, and one to the executor; there is no list.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pkgutil import iter_modules
from types import MappingProxyType
from typing import Any

from compiled_plan.plans.connectors.format_spec import FormatSpec
from compiled_plan.plans.connectors.spec import ConnectorSpec

_SPECS = "compiled_plan.plans.connectors.specs"
_FORMATS = "compiled_plan.plans.connectors.formats"


def connector_spec(name: str | None) -> ConnectorSpec | None:
    """The connector of that name; None if there is none."""
    spec: ConnectorSpec | None = _spec(_SPECS, name or "")
    return spec


def format_spec(name: str | None) -> FormatSpec | None:
    """The format of that name; None if there is none."""
    spec: FormatSpec | None = _spec(_FORMATS, name or "")
    return spec


@cache
def connector_specs() -> Mapping[str, ConnectorSpec]:
    """All connectors whose tables outlive their program, by name."""
    return MappingProxyType({name: spec for name, spec in _all(_SPECS) if not spec.in_process})


@cache
def format_specs() -> Mapping[str, FormatSpec]:
    return MappingProxyType(dict(_all(_FORMATS)))


def module_name(name: str) -> str:
    """The module name of a connector or format: `upsert_kafka` for `upsert-kafka`."""
    return name.replace("-", "_").replace(".", "_")


@cache
def _spec(package: str, name: str) -> Any:
    module = f"{package}.{module_name(name)}"
    if not name.replace("-", "").replace(".", "").isalnum() or find_spec(module) is None:
        return None
    spec = import_module(module).SPEC
    return spec if spec.name == name else None


def _all(package: str) -> Iterator[tuple[str, Any]]:
    for module in sorted(iter_modules(import_module(package).__path__), key=lambda module: module.name):
        spec = import_module(f"{package}.{module.name}").SPEC
        yield spec.name, spec
