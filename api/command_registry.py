"""The commands of the product: the single ones, and the sub-commands of `compiled-plan`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

#: The command with all others as sub-commands.
UMBRELLA = "compiled-plan"


class Entry(NamedTuple):
    """A command.

    Args:
        word: its name below `compiled-plan`.
        module: the module with its `app`, imported when the command is called.
        help: its line in `compiled-plan --help`.
        configurable: it takes defaults from `compiled-plan.toml`.
    """

    word: str
    module: str
    help: str
    configurable: bool = True


#: Commands by name, which is also the name of their table in `compiled-plan.toml`.
COMMANDS: Mapping[str, Entry] = {
    "compile-plan": Entry("compile", "compiled_plan.cli.compile_plan", "Compile a program to a plan file."),
    "edit-plan": Entry("edit", "compiled_plan.cli.edit_plan", "Show and set state TTLs, check a plan."),
    "diff-plan": Entry("diff", "compiled_plan.cli.diff_plan", "Compare two plans, and show which state is restored."),
    "execute-plan": Entry("execute", "compiled_plan.cli.execute_plan", "Run plans on Spark."),
    "inspect-state": Entry("inspect", "compiled_plan.cli.inspect_state", "Show the state in a checkpoint."),
    "plan-service": Entry("service", "compiled_plan.service.main", "Store, run and show plans over HTTP.", False),
    "show-config": Entry("config", "compiled_plan.cli.show_config", "Show the config file in force.", False),
}
