"""Execution of statements: queries whose rows are collected, INSERTs, plan files.

Source: Flink's `TableEnvironment.executeSql` and `Table.execute`.
"""

from __future__ import annotations

from collections.abc import Sequence

from compiled_plan.planner.algebra.nodes import RelNode, Sink
from compiled_plan.planner.options.settings import FORCE_RECOMPILE
from compiled_plan.planner.sql.binding.core import Binder, Surroundings
from compiled_plan.planner.sql.binding.writes import bind_writes
from compiled_plan.planner.sql.context import PlanningContext
from compiled_plan.planner.sql.nodes import changes
from compiled_plan.planner.sql.nodes import statements as st
from compiled_plan.planner.user_functions.plans import with_catalog_functions
from compiled_plan.plans.errors import PlanError, ProgramError
from compiled_plan.plans.execution.session.options import RunOptions
from compiled_plan.plans.files import exists
from compiled_plan.plans.inspection.checked_plans import plan_from_file
from compiled_plan.plans.inspection.recompile import recompile
from compiled_plan.plans.plan import CompiledPlan as Plan
from compiled_plan.plans.plan.session_options import DEFAULT, SESSION_OPTIONS, UTC, ZONE, with_session, with_zone
from compiled_plan.results.table_result import DONE, TableResult
from compiled_plan.results.tableau import Display
from compiled_plan.running import embedded
from compiled_plan.running.compiling import compile_query, compile_sinks
from compiled_plan.running.jobs import job_of, register
from compiled_plan.running.plans import CompiledPlan


def run_query(context: PlanningContext, rel: RelNode, names: Sequence[str] = ()) -> TableResult:
    """Run a query whose rows the result returns.

    Args:
        names: the column names; those of `rel` if missing or not unique.

    Raises:
        ProgramError, UnsupportedError: the query cannot be planned or run.
        ExecutionError: Spark does not start.
    """
    return start_plan(context, compile_query(context, rel, names))


def run_sinks(context: PlanningContext, sinks: Sequence[Sink]) -> TableResult:
    """Run INSERTs as one job, in the background unless `table.dml-sync` is set.

    Raises:
        ProgramError, UnsupportedError, ExecutionError: as for `run_query`.
    """
    return run_plan(context, compile_sinks(context, sinks))


def run_plan(context: PlanningContext, plan: Plan) -> TableResult:
    """Run a plan with sinks, in the background unless `table.dml-sync` is set.

    Raises:
        UnsupportedError, ExecutionError: as for `run_query`.
    """
    result = start_plan(context, plan)
    if context.config.boolean("table.dml-sync"):
        result.wait()
    return result


def start_plan(context: PlanningContext, plan: Plan) -> TableResult:
    """Run a plan in the background; settings that the plan lacks, such as the time zone, come from the session."""
    zone, width = context.config.value(ZONE), context.config.value("table.display.max-column-width")
    plan = with_catalog_functions(plan, context.catalog)
    display, session = Display(UTC if zone == DEFAULT else zone, int(width)), context.config.changed(SESSION_OPTIONS)
    options = RunOptions(job_parameter=_job_parameters(context.config.value(JOB_PARAMETERS)))
    result = embedded.execute(with_session(with_zone(plan, otherwise=zone), session), options, display=display)
    if result.job is not None:
        register(context, plan, result.job)
    return result.with_mutable_rows() if context.mutable_rows else result


#: Flink's option for the parameters that functions read in `open`: `key:value,key:value`.
JOB_PARAMETERS = "pipeline.global-job-parameters"


def _job_parameters(text: str) -> tuple[str, ...]:
    """The option's pairs as `key=value`: a comma ends a pair, even in quotes, and its first colon ends the key.

    Raises:
        ProgramError: a pair has no value.
    """
    pairs = [part.partition(":") for part in text.split(",") if part.strip()]
    if not all(colon for _, colon, _ in pairs):
        raise ProgramError(f"the value {text!r} is no list of pairs", where=JOB_PARAMETERS, remedy="write k:v,k2:v2")
    return tuple(f"{key.strip()}={value.strip()}" for key, _, value in pairs)


def run_statement(context: PlanningContext, binder: Binder, statement: st.Statement) -> TableResult:
    """Run a statement that reads or writes data or a plan file.

    Raises:
        ProgramError, UnsupportedError, PlanError, ExecutionError: the statement is wrong or does not run.
    """
    match statement:
        case st.Query():
            bound = binder.bind_query(binder, statement.query, Surroundings())
            return run_query(context, bound.rel, bound.names)
        case changes.AlterTable(change=change) if not isinstance(change, changes.RunAction):
            raise binder.source.unsupported_at(
                statement.span,
                "changing a materialized table in a session that may run it",
                "stop its run, compile the program with compile_script, and start the plan with upgrade='migrate'",
            )
        case st.Insert() | st.StatementSet() | st.CreateTable() | changes.AlterTable():
            return run_sinks(context, bind_writes(binder, statement))
        case st.ExecutePlan():
            if statement.if_exists and not exists(statement.path):
                return DONE
            return start_plan(context, CompiledPlan.read_file(statement.path))
        case st.CompilePlan():
            if not (statement.if_not_exists and exists(statement.path)):
                _write(context, binder, statement, if_not_exists=False)
            return DONE
        case st.StopJob():
            if statement.savepoint:
                remedy = "write STOP JOB: a run with a checkpoint continues there at its next start"
                raise binder.source.unsupported_at(statement.span, "STOP JOB with a savepoint", remedy)
            job_of(context, statement.job).stop()
            return DONE
        case st.CompileAndExecutePlan():
            return start_plan(context, _write(context, binder, statement, if_not_exists=True))
    raise AssertionError(statement)


def _write(
    context: PlanningContext,
    binder: Binder,
    statement: st.CompilePlan | st.CompileAndExecutePlan,
    *,
    if_not_exists: bool,
) -> CompiledPlan:
    """Compile a plan and write its file; with `if_not_exists`, read an existing file instead."""
    if exists(statement.path):
        if if_not_exists:
            return CompiledPlan.read_file(statement.path)
        if not context.config.boolean(FORCE_RECOMPILE):
            raise PlanError(
                f"the plan file {statement.path} is there already",
                remedy=f"write COMPILE PLAN IF NOT EXISTS, remove the file, or SET '{FORCE_RECOMPILE}' = 'true'",
            )
    compiled = compile_sinks(context, bind_writes(binder, statement))
    if exists(statement.path):
        compiled = CompiledPlan.of(recompile(compiled, plan_from_file(statement.path)).plan)
    compiled.write_file(statement.path)
    return compiled
