"""Plans in one call: compiled from a SQL script, or loaded from a file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from compiled_plan.environment import TableEnvironment
from compiled_plan.running.plans import CompiledPlan


def compile_sql(
    script: str, options: Mapping[str, str] | None = None, *, init: Sequence[str | Path] = ()
) -> CompiledPlan:
    """Compile a script: declarations, and one INSERT or one statement set.

    >>> import compiled_plan as cp
    >>> plan = cp.compile_sql('''
    ...     CREATE TABLE numbers (n INT) WITH ('connector' = 'datagen');
    ...     CREATE TABLE doubled (n INT) WITH ('connector' = 'print');
    ...     INSERT INTO doubled SELECT 2 * n FROM numbers;
    ... ''')
    >>> print(plan.explain())
    [3] Sink(table=[default_catalog.default_database.doubled], fields=[EXPR$0])
    +- [2] Calc(select=[(2 * n) AS EXPR$0])
       +- [1] TableSourceScan(table=[[default_catalog, default_database, numbers]], fields=[n])

    Args:
        script: the SQL.
        options: configuration options by key, as set with SET at the start of the script.
        init: SQL files that prepare the session before the script, as for `compile-plan --init`.

    Returns:
        The plan.

    Raises:
        ProgramError: the script does not compile; with line, column and caret.
        UnsupportedError: the script uses a feature that is not supported.
    """
    return TableEnvironment(options, init=init).compile_script(script)


def load_plan(path: str | Path) -> CompiledPlan:
    """Load a plan from a file.

    >>> import compiled_plan as cp
    >>> plan = cp.compile_sql('''
    ...     CREATE TABLE numbers (n INT) WITH ('connector' = 'datagen');
    ...     CREATE TABLE copy (n INT) WITH ('connector' = 'print');
    ...     INSERT INTO copy SELECT * FROM numbers;
    ... ''')
    >>> plan.write_file("copy.json")
    >>> cp.load_plan("copy.json")
    CompiledPlan(2 operators, 0 with state)

    Args:
        path: the file, local or remote (`s3://...`).

    Returns:
        The plan.

    Raises:
        PlanError: the file does not exist, or is not a plan; with the node and the JSON pointer.
    """
    return CompiledPlan.read_file(path)
