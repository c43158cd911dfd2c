"""Every public name of PyFlink's Table API is there, with its parameters, or is refused by name with a remedy.

`names.json` lists the names; `record.py` writes it.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from compiled_plan.planner.diagnostics.refusing import refusal_of
from compiled_plan.plans.errors import UnsupportedError
from tools.coverage.answers import OF_PROGRAMS

NAMES: dict[str, dict[str, Any]] = json.loads(Path(__file__).with_name("names.json").read_text("utf-8"))
#: Names for Java objects, which this product does not have.
OF_JAVA = ("to_j_row_kind",)
#: Parameters that differ: fewer cases than PyFlink's, or more.
DIFFERENT = {"to_changelog", "from_changelog", "computed", "copy", "to_timestamp_ltz"}


def our_module(module: str) -> str:
    if module.startswith("pyflink.table"):
        return module.replace("pyflink.table", "compiled_plan.pyflink", 1)
    return module.replace("pyflink", "compiled_plan.pyflink", 1)


def ours_of(module: str, name: str) -> object | None:
    try:
        return getattr(import_module(our_module(module)), name, None)
    except ImportError:
        return None


def answers() -> Iterator[tuple[str, object | None, list[str] | None]]:
    """The name, our object (None if there is none), and PyFlink's parameters."""
    for module, names in NAMES.items():
        for name, about in names.items():
            value = ours_of(module, name)
            members = about if isinstance(about, dict) else {}
            yield f"{module}.{name}", value, None if isinstance(about, dict) else about
            for member, parameters in members.items():
                if member in OF_JAVA or (member in OF_PROGRAMS and name.endswith("Function")):
                    continue
                refused = refusal_of(value)
                member_value = value if refused is not None else inspect.getattr_static(value, member, None)
                yield f"{module}.{name}.{member}", member_value, None if refused is not None else parameters


def test_every_name_has_an_answer() -> None:
    assert [name for name, value, _ in answers() if value is None] == []


def test_parameters_are_those_of_pyflink() -> None:
    wrong = [
        (name, theirs, ours)
        for name, value, theirs in answers()
        if theirs is not None and name.rpartition(".")[2] not in DIFFERENT and refusal_of(value) is None
        if (ours := parameters_of(value)) is not None and not takes(ours, theirs)
    ]
    assert wrong == []


def parameters_of(value: object) -> list[inspect.Parameter] | None:
    function = value.__func__ if isinstance(value, staticmethod | classmethod) else value
    if not callable(function) or inspect.isclass(function):
        return None
    parameters = list(inspect.signature(function).parameters.values())
    return parameters[1:] if parameters and parameters[0].name in ("self", "cls") else parameters


def takes(ours: list[inspect.Parameter], theirs: list[str]) -> bool:
    """Return True if calls with their parameters, by position or by name, are calls of ours."""
    kinds = {one.kind for one in ours}
    for at, shown in enumerate(theirs):
        name = shown.rstrip("=")
        if name.startswith("**"):
            fits = inspect.Parameter.VAR_KEYWORD in kinds
        elif name.startswith("*"):
            fits = inspect.Parameter.VAR_POSITIONAL in kinds
        else:
            fits = (at < len(ours) and ours[at].name == name) or inspect.Parameter.VAR_POSITIONAL in kinds
        if not fits:
            return False
    return True


def test_a_refused_name_can_be_imported_and_says_what_to_do() -> None:
    from compiled_plan.pyflink.catalog import HiveCatalog
    from compiled_plan.pyflink.common import WatermarkStrategy

    with pytest.raises(UnsupportedError, match=r"Hive metastore is not read(.|\n)*try: declare the tables"):
        HiveCatalog("hive")
    with pytest.raises(UnsupportedError, match=r"WatermarkStrategy\.for_monotonous_timestamps is not supported"):
        WatermarkStrategy.for_monotonous_timestamps()
    refused = [refusal for _, value, _ in answers() if (refusal := refusal_of(value)) is not None]
    assert refused and all(refusal.reason and refusal.remedy for refusal in refused)
