"""The product's answers: what it says about a statement, an option, a node type, or a name of PyFlink."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from compiled_plan.api.environment import TableEnvironment
from compiled_plan.api.running.compiling import compile_query, compile_sinks
from compiled_plan.planner.options.session import OPTIONS
from compiled_plan.planner.sql.binding.core import Surroundings
from compiled_plan.planner.sql.binding.inserts import bind_insert
from compiled_plan.planner.sql.binding.queries import new_binder
from compiled_plan.planner.sql.binding.source import SourceText
from compiled_plan.planner.sql.nodes import statements as st
from compiled_plan.planner.sql.parse import parse_script
from compiled_plan.plans.errors import CompiledPlanError, UnsupportedError
from compiled_plan.plans.inspection.rules import plan_findings
from compiled_plan.plans.nodes.registry import node_type

SETUP = Path(__file__).with_name("setup.sql")


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer of the product.

    Args:
        runs: nothing is refused.
        text: the refusal and its remedy, or the effect.
        named: the refusal is one by name, not a complaint about the text.
    """

    runs: bool
    text: str = ""
    named: bool = True


def _refusal(error: CompiledPlanError) -> Answer:
    remedy = f"; try: {error.remedy}" if error.remedy else ""
    return Answer(False, f"{error.message}{remedy}", isinstance(error, UnsupportedError))


class Product:
    """A session with the objects of setup.sql."""

    def __init__(self) -> None:
        self._setup = [text for text in SETUP.read_text(encoding="utf-8").split(";\n") if text.strip()]
        self._env: TableEnvironment | None = None

    def _session(self) -> TableEnvironment:
        if self._env is None:
            self._env = TableEnvironment()
            for text in self._setup:
                try:
                    self._env.execute_sql(text)
                except CompiledPlanError:
                    continue  # Statements about that object are refused, too.
        return self._env

    def statement(self, sql: str) -> Answer:
        """The answer to a statement: queries and INSERTs are compiled and checked, others executed, no job started."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                self._try(sql)
            except CompiledPlanError as error:
                return _refusal(error)
        return Answer(True)

    def _try(self, sql: str) -> None:
        env = self._session()
        binder = new_binder(SourceText(sql), env.catalog)
        for statement in parse_script(sql):
            body = statement.body if isinstance(statement, st.CompilePlan | st.CompileAndExecutePlan) else statement
            match body:
                case st.Query():
                    bound = binder.bind_query(binder, body.query, Surroundings())
                    plan = compile_query(env.context, bound.rel, bound.names)
                case st.Insert():
                    plan = compile_sinks(env.context, [bind_insert(binder, body)])
                case st.StatementSet():
                    plan = compile_sinks(env.context, [bind_insert(binder, insert) for insert in body.inserts])
                case st.ExecutePlan():
                    continue
                case _:
                    if not isinstance(body, st.Show | st.Describe | st.DescribeCatalog | st.Explain):
                        self._env = None
                    env.execute_sql(sql)
                    continue
            for finding in plan_findings(plan.nodes, plan.edges):
                if finding.is_error and "collects rows for the program" not in finding.message:
                    raise UnsupportedError(finding.message, remedy=finding.remedy)


def node(name: str) -> Answer:
    """The answer to a node type."""
    kind = node_type(name)
    if kind is None:
        return Answer(False, f"the node type {name} is unknown", named=False)
    return Answer(True) if kind.RUNNABLE else Answer(False, (kind.__doc__ or "").splitlines()[0])


def option(key: str, value: str) -> Answer:
    """The answer to a session option with a valid value."""
    env = TableEnvironment()
    try:
        env.set(key, value)
    except CompiledPlanError as error:
        return _refusal(error)
    known = OPTIONS.get(key)
    if known is None:
        return Answer(not key.startswith("table."), "stored unchanged", named=False)
    return Answer(True, known.effect.value)
