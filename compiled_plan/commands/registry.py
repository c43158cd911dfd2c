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
        module: the module in `compiled_plan` with its `app`, imported when the command is called.
        help: its line in `compiled-plan --help`.
        configurable: it takes defaults from `compiled-plan.toml`.
        single: it is also a command of its own, a script in `pyproject.toml`.
    """

    word: str
    module: str
    help: str
    configurable: bool = True
    single: bool = True


#: Commands by name, which is also the name of their table in `compiled-plan.toml`.
COMMANDS: Mapping[str, Entry] = {
    "compile-plan": Entry("compile", "cli.compile_plan", "Compile a program to a plan file."),
    "edit-plan": Entry("edit", "cli.edit_plan", "Show and set state TTLs, check and draw a plan."),
    "diff-plan": Entry("diff", "cli.diff_plan", "Compare two plans, and show which state is restored."),
    "review-plans": Entry("review", "cli.review_plans", "Review the changed programs of a git repository."),
    "apply-plan": Entry("apply", "cli.apply_plan", "Show what a changed program does to a checkpoint, and start it."),
    "execute-plan": Entry("execute", "cli.execute_plan", "Run plans on Spark."),
    "inspect-state": Entry("inspect", "cli.inspect_state", "Show the state in a checkpoint."),
    "import-state": Entry("import", "cli.import_state", "Start a checkpoint with the state of a Flink job."),
    "export-state": Entry("export", "cli.export_state", "Write a checkpoint's state as a savepoint of Flink."),
    "test-plan": Entry("test", "cli.test_plan", "Run tests of streaming programs."),
    "plan-shell": Entry("shell", "cli.plan_shell", "Execute SQL statements, and show rows as they arrive."),
    "plan-service": Entry("service", "service.main", "Store, run and show plans over HTTP.", configurable=False),
    "new-project": Entry("new", "cli.new_project", "Make a project in a new folder.", configurable=False, single=False),
    "show-config": Entry(
        "config", "cli.show_config", "Show the config file of this folder, and trust it.", False, single=False
    ),
}
