"""Table programs in Python: modules whose function `main` takes the environment and returns the inserts.

    def main(env: TableEnvironment) -> TablePipeline:
        env.execute_sql("CREATE TABLE orders ...")
        return env.from_path("orders").where(col("price") > 10).insert_into("expensive")

A function rather than an environment in the module: the caller chooses the options, importing the module has no effect,
a test calls `main` with its own environment, and `main` returns the content of the plan: one insert, several, a
statement set, or a plan.
"""

from __future__ import annotations

import linecache
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from compiled_plan.plans.errors import CompiledPlanError, ProgramError, UnsupportedError
from compiled_plan.plans.files import quoted
from compiled_plan.plans.files.code_folders import check_file
from compiled_plan.plans.plan import CompiledPlan
from compiled_plan.running.inserts import StatementSet, TablePipeline
from compiled_plan.session.initializing import find_modules_in, text_of

if TYPE_CHECKING:
    from compiled_plan.environment import TableEnvironment

MAIN = "main"
_WRITE = f'write def {MAIN}(env): ... return table.insert_into("sink")'


def compile_program(env: TableEnvironment, path: str | Path) -> CompiledPlan:
    """Compile a program in a Python file.

    Output of the program goes to stderr. The program can import modules in the folder of its file.

    Args:
        env: the argument of the program's `main`.
        path: the file.

    Returns:
        The plan.

    Raises:
        ProgramError: the file cannot be read, or its `main` is missing, fails or returns no insert; with the line.
        UnsupportedError: the program uses a feature that is not supported.
    """
    file = Path(path)
    with _errors_at(file), redirect_stdout(sys.stderr):
        module = _imported(file)
        main = getattr(module, MAIN, None)
        if not callable(main):
            raise ProgramError(f"the program has no function {MAIN}(env)", where=str(path), remedy=_WRITE)
        if getattr(getattr(main, "__code__", None), "co_argcount", 1) < 1:
            raise ProgramError(f"{MAIN}() takes no environment", where=str(path), remedy=f"write def {MAIN}(env)")
        return _plan(env, main(env), file)


def _plan(env: TableEnvironment, result: object, file: Path) -> CompiledPlan:
    if isinstance(result, CompiledPlan):
        return result
    if isinstance(result, TablePipeline | StatementSet):
        return result.compile_plan()
    if isinstance(result, list | tuple) and result:
        inserts = env.create_statement_set()
        for item in result:
            _add(inserts, item, file)
        return inserts.compile_plan()
    if isinstance(result, str):
        return env.compile_plan_sql(result)
    raise _nothing(result, file)


def _add(inserts: StatementSet, item: object, file: Path) -> None:
    if isinstance(item, TablePipeline):
        inserts.add(item)
    elif isinstance(item, str):
        inserts.add_insert_sql(item)
    else:
        raise _nothing(item, file)


def _nothing(result: object, file: Path) -> ProgramError:
    what = "nothing" if result is None else f"a value of type {type(result).__name__}"
    return ProgramError(
        f"{MAIN}(env) returns {what}: a plan needs tables to write to",
        where=quoted(file),
        remedy='return table.insert_into("sink"), a list of them, or a statement set',
    )


def _imported(file: Path) -> ModuleType:
    """Import the file as a module of its name, so that its classes have an import path."""
    check_file(file)
    text = text_of(file)
    name = file.stem
    known = sys.modules.get(name)
    if name in sys.stdlib_module_names or (known is not None and getattr(known, "__file__", "") != str(file.resolve())):
        raise ProgramError(
            f"a program cannot be named like the module {name!r}, which Python knows already",
            where=quoted(file),
            remedy="rename the file",
        )
    code = compile(text, str(file), "exec", dont_inherit=True)
    module = ModuleType(name)
    module.__file__ = str(file.resolve())
    find_modules_in(file.resolve().parent)
    sys.modules[name] = module
    try:
        exec(code, module.__dict__)
    except BaseException:
        del sys.modules[name]
        raise
    return module


@contextmanager
def _errors_at(file: Path) -> Iterator[None]:
    """Add the line of the program to errors."""
    try:
        yield
    except SyntaxError as fault:
        place = f"{quoted(fault.filename or file)}, line {fault.lineno}"
        text = (fault.text or "").rstrip()
        raise ProgramError(
            f"the program is no Python: {fault.msg}", where=f"{place}\n    {text.strip()}" if text else place
        ) from fault
    except CompiledPlanError as fault:
        place = _line_of(fault, file)
        where = "\n  at: ".join(part for part in (place, fault.where) if part and part != quoted(file))
        kind = type(fault) if isinstance(fault, UnsupportedError) else ProgramError
        raise kind(fault.message, where=where or fault.where, remedy=fault.remedy) from fault
    except SystemExit as fault:
        raise ProgramError(
            "the program ends itself", where=_line_of(fault, file), remedy="leave sys.exit out"
        ) from fault
    except Exception as fault:
        message = "".join(traceback.format_exception_only(fault)).strip()
        raise ProgramError(f"the program fails: {message}", where=_line_of(fault, file)) from fault


def _line_of(fault: BaseException, file: Path) -> str:
    """The innermost line of the program that an error passed through."""
    frames = [frame for frame in traceback.extract_tb(fault.__traceback__) if frame.filename == str(file)]
    if not frames:
        return ""
    line = frames[-1].lineno or 0
    text = linecache.getline(str(file), line).strip()
    return f"{quoted(file)}, line {line}" + (f"\n    {text}" if text else "")
