"""The product's answers: what it says about a statement, an option, a node type, or a name of PyFlink."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from compiled_plan.environment import TableEnvironment
from compiled_plan.planner.options.session import OPTIONS
from compiled_plan.planner.sql.binding.core import Surroundings
from compiled_plan.planner.sql.binding.queries import new_binder
from compiled_plan.planner.sql.binding.source import SourceText
from compiled_plan.planner.sql.binding.writes import writes_of
from compiled_plan.planner.sql.nodes import statements as st
from compiled_plan.planner.sql.parse import parse_script
from compiled_plan.plans.errors import CompiledPlanError, UnsupportedError
from compiled_plan.plans.inspection.rules import plan_findings
from compiled_plan.plans.nodes.registry import node_type
from compiled_plan.plans.plan import CompiledPlan as Plan
from compiled_plan.results.ready import EndedJob
from compiled_plan.running.compiling import compile_query
from compiled_plan.running.jobs import SessionJob

#: The module whose names are those of `pyflink.table`.
PYFLINK = "compiled_plan.pyflink"
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
    """A session with the objects of setup.sql, or of other statements."""

    def __init__(self, setup: Sequence[str] = ()) -> None:
        self._setup = setup or [text for text in SETUP.read_text(encoding="utf-8").split(";\n") if text.strip()]
        self._env: TableEnvironment | None = None

    def _session(self) -> TableEnvironment:
        if self._env is None:
            self._env = TableEnvironment()
            self._env.context.jobs.append(SessionJob(EndedJob((), id="k"), "k"))
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
            if isinstance(body, st.Query):
                bound = binder.bind_query(binder, body.query, Surroundings())
                plan: Plan = compile_query(env.context, bound.rel, bound.names)
            elif isinstance(body, st.ExecutePlan):
                continue
            else:
                if not isinstance(body, st.Show | st.Describe | st.Explain | st.Insert | st.StatementSet):
                    self._env = None  # The statement changes objects that others need.
                if not writes_of(body):
                    env.execute_sql(sql)
                    continue
                plan = env.compile_statements(sql).plan
            for finding in plan_findings(plan):
                if finding.is_error and "collects rows for the program" not in finding.message:
                    raise UnsupportedError(finding.message, remedy=finding.remedy)


def node(name: str) -> Answer:
    """The answer to a node type."""
    kind = node_type(name)
    if kind is None:
        return Answer(False, f"the node type {name} is unknown", named=False)
    if kind.RUNNABLE:
        return Answer(True)
    fault = kind.type_refusal()
    return _refusal(UnsupportedError(fault.message, remedy=fault.remedy))


def option(key: str, value: str) -> Answer:
    """The answer to a session option with a valid value."""
    env = TableEnvironment()
    try:
        env.set(key, value)
        env.explain_sql("SELECT 1")
    except CompiledPlanError as error:
        return _refusal(error)
    known = OPTIONS.get(key)
    if known is None:
        return Answer(not key.startswith("table."), "stored unchanged", named=False)
    return Answer(True, known.effect.value)


def table_option(name: str, key: str, declared: Mapping[str, Mapping[str, str]], roles: Sequence[str]) -> Answer:
    """The answer to an option of a connector or a format: a table with it is declared and used."""
    options = {option: sample(value) for option, value in declared.items() if value.get("required")}
    type_, fitting = _FITTING.get(key, ("STRING", {key: sample(declared[key])}))
    options |= fitting
    if is_format := list(roles) == ["format"]:
        prefixed = {f"{name}.{option}": value for option, value in options.items()}
        options = {"connector": "filesystem", "path": "/x", "format": name, **prefixed}
    else:
        options = {"connector": name, **options}
    if name == "filesystem":
        options |= {"path": "/x", "format": "json"}
    clause = ", ".join(f"'{option.replace('#', 's')}' = '{value}'" for option, value in options.items())
    product = Product(
        setup=(
            f"CREATE TABLE x (s {type_}) WITH ({clause})",
            f"CREATE TABLE t (s {type_}) WITH ('connector' = 'datagen')",
        )
    )
    answers = []
    if "source" in roles or is_format:
        answers.append(product.statement("SELECT s FROM x"))
    if "sink" in roles or is_format:
        answers.append(product.statement("INSERT INTO x SELECT s FROM t"))
    return next((answer for answer in answers if not answer.runs), answers[0])


#: Options that need a type of column, other options or one of a few values: the type, and the options together.
_FITTING: dict[str, tuple[str, dict[str, str]]] = {
    "fields.#.min": ("INT", {"fields.#.min": "1"}),
    "fields.#.max": ("INT", {"fields.#.max": "9"}),
    "fields.#.max-past": ("TIMESTAMP(3)", {"fields.#.max-past": "1 h"}),
    **{
        f"fields.#.{key}": (
            "INT",
            {"fields.#.kind": "sequence", "fields.#.start": "1", "fields.#.end": "9"},
        )
        for key in ("start", "end")
    },
    "sink.partition-commit.policy.kind": ("STRING", {"sink.partition-commit.policy.kind": "success-file"}),
}


def values(option: Mapping[str, Any]) -> list[str]:
    """The values of an option where they can be listed, else a valid one."""
    if option["type"] == "Boolean":
        return ["true", "false"]
    return list(map(str, option.get("values", ()))) or [sample(option)]


def sample(option: Mapping[str, Any]) -> str:
    """A valid value of an option: its default, or one of its type."""
    if "default" in option and option["default"] not in ("[]", "{}"):
        return str(option["default"])
    if choices := option.get("values"):
        return str(choices[0])
    return _SAMPLES.get(str(option["type"]), "x")


_SAMPLES = {
    "Boolean": "true",
    "Integer": "1",
    "Long": "1",
    "Double": "0.5",
    "Float": "0.5",
    "Duration": "1 s",
    "MemorySize": "1 mb",
}
#: Methods of functions that programs define.
OF_PROGRAMS = frozenset(
    "accumulate retract merge eval emit_value create_accumulator get_value get_accumulator_type get_result_type".split()
)


def pyflink_name(module: str, name: str, member: str = "") -> Answer:
    """The answer to a name of a module of PyFlink, or to an attribute of a class."""
    value = None
    for place in (module.replace("pyflink.table", PYFLINK, 1), PYFLINK):
        try:
            value = getattr(import_module(place), name)
            break
        except (ImportError, AttributeError):
            continue
    if value is None:
        return Answer(False, f"{name} is unknown", named=False)
    refusal = getattr(value, "refusal", None)
    if member and refusal is None and not (member in OF_PROGRAMS and name.endswith("Function")):
        if not hasattr(value, member):
            return Answer(False, f"{name} has no {member}", named=False)
        refusal = getattr(getattr(value, member), "refusal", None)
    # A refused name can be imported; its refusal has a reason and a remedy.
    return Answer(True) if refusal is None else Answer(False, f"{refusal.reason}; try: {refusal.remedy}")
