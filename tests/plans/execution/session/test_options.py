"""Options of a run: one declaration, used by commands and programs."""

from __future__ import annotations

import inspect
from typing import Any

import pytest
import typer

from compiled_plan.cli.execute_plan import app
from compiled_plan.plans.errors import ExecutionError
from compiled_plan.plans.execution.session.options import RUN_OPTIONS, RunOptions, arguments, flag
from compiled_plan.running.plans import CompiledPlan


def test_the_command_and_programs_have_the_options_in_their_order() -> None:
    command: Any = typer.main.get_command(app)
    of_the_command = {item.name: item for item in command.params}
    assert [name for name in of_the_command if name in RUN_OPTIONS] == list(RUN_OPTIONS)
    assert [of_the_command[name].help for name in RUN_OPTIONS] == [option.help for option in RUN_OPTIONS.values()]
    keywords = list(inspect.signature(CompiledPlan.execute).parameters.values())[1:]
    assert keywords == list(inspect.signature(RunOptions).parameters.values())


def test_arguments_are_what_the_command_takes() -> None:
    values = {"available_now": True, "trust_pickled_state": False, "max_files_per_batch": 3, "trigger": ""}
    values |= {"reset": ["a", "b"], "warm_up": [], "time_zone": None, "stop_within": "5s"}
    words = list(arguments(values))
    expected = "--available-now --max-files-per-batch 3 --reset a --reset b --stop-within 5s"
    assert words == expected.split()
    assert set(map(flag, values)) <= {name for item in _params() for name in item.opts}


def _params() -> list[Any]:
    command: Any = typer.main.get_command(app)
    return list(command.params)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"trigger": "soon"}, "--trigger: "),
        ({"stop_within": "-1s"}, "--stop-within: "),
        ({"max_files_per_batch": 0}, "--max-files-per-batch must be 1 or more"),
        ({"retain_batches": 5, "retain_for": "1d"}, "--retain-batches and --retain-for exclude each other"),
        ({"retain_for": "1d", "trigger": "real-time"}, "--retain-for has no effect in real-time mode"),
        ({"retain_for": "soon"}, "--retain-for: "),
        ({"trigger": "2s", "available_now": True}, "--trigger and --available-now exclude each other"),
        ({"reset": ["a"]}, "there is no state to upgrade without a checkpoint"),
        ({"checkpoint": "c", "warm_up_from": {"t": {}}}, "--warm-up-from has no effect"),
        ({"host": "mine"}, "unknown operator host: mine"),
        ({"checkpoint": "c", "upgrade": "maybe"}, "unknown upgrade mode: maybe"),
    ],
)
def test_options_that_do_not_fit_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ExecutionError, match=message):
        RunOptions(**options)
