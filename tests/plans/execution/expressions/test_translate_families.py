"""A family of functions has one name, in the planner and in the executor."""

from __future__ import annotations

from compiled_plan.planner.functions.registry import FAMILIES
from compiled_plan.plans.execution.expressions.registry import known_functions, translator_of
from compiled_plan.plans.execution.expressions.translate import FAMILIES as LOADED

#: CEIL and FLOOR are functions of numbers and of times, and one function of the plan.
TWICE = {"$CEIL$1", "$FLOOR$1"}


def home(module: str) -> str:
    return module.rpartition(".")[2].partition("_")[0]


def test_every_function_is_translated_in_the_family_that_declares_it() -> None:
    tried = 0
    for family in FAMILIES:
        for function in family.FUNCTIONS:
            translator = translator_of(function.plan_name)
            if translator is not None and function.plan_name not in TWICE:
                tried += 1
                assert home(translator.__module__) == home(family.__name__), function.plan_name
    assert tried > 180


def test_every_module_of_a_family_is_loaded_and_no_other() -> None:
    known = {home(family.__name__) for family in FAMILIES} | {"casts"}
    assert {home(name) for name in LOADED} == known
    modules = {translator_of(name).__module__.rpartition(".")[2] for name in known_functions()}  # type: ignore[union-attr]
    assert modules == set(LOADED)
