"""Plans in one call: of a script of SQL, and out of a file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from compiled_plan.api.environment import TableEnvironment
from compiled_plan.api.running.plans import CompiledPlan


def compile_sql(
    script: str, options: Mapping[str, str] | None = None, *, init: Sequence[str | Path] = ()
) -> CompiledPlan:
    """The plan of a script: declarations, and one INSERT or one statement set.

    Args:
        script: the SQL.
        options: configuration, as by SET at its start.
        init: files of SQL that prepare the session before it, as `compile-plan --init` takes them.

    Raises:
        ProgramError: it does not compile; with line, column and caret.
        UnsupportedError: it uses what is not supported.
    """
    return TableEnvironment(options, init=init).compile_script(script)


def load_plan(path: str | Path) -> CompiledPlan:
    """The plan in a file, local or remote (`s3://...`).

    Raises:
        PlanError: no such file, or not a plan; names the node and the JSON pointer.
    """
    return CompiledPlan.read_file(path)
