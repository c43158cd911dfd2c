"""Pairs of programs whose plans are compared."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.inspection.diff.build import diff_plans
from compiled_plan.plans.inspection.diff.model import OperatorEdit, PlanDiff, SinkEdit, SourceEdit
from compiled_plan.plans.inspection.judging.verdicts import Verdict, worst
from compiled_plan.plans.plan import CompiledPlan

FULL, PARTIAL, UNKNOWN, INCOMPATIBLE = Verdict.FULL, Verdict.PARTIAL, Verdict.UNKNOWN, Verdict.INCOMPATIBLE


def table(name: str, columns: str, format_: str = "json", more: str = "", path: str = "") -> str:
    """CREATE TABLE of a filesystem table."""
    return (
        f"CREATE TABLE {name} ({columns}) WITH ('connector' = 'filesystem', 'path' = '/data/{path or name}', "
        f"'format' = '{format_}'{more});\n"
    )


ORDERS = table(
    "orders",
    "id INT, shop STRING, town STRING, v INT, w INT, f FLOAT, d DECIMAL(10, 2), p AS PROCTIME(), "
    "t TIMESTAMP(3), l TIMESTAMP_LTZ(3), WATERMARK FOR t AS t - INTERVAL '5' SECOND",
)
TABLES = {
    "orders": ORDERS,
    "more": table("more", "id INT, shop STRING, town STRING, v INT, w INT"),
    "shops": table("shops", "shop STRING, rent INT, tax INT"),
    "stock": table("stock", "id INT, shop STRING, v INT, w INT", "debezium-json"),
    "keyed_stock": table("keyed_stock", "id INT PRIMARY KEY NOT ENFORCED, shop STRING, v INT, w INT", "debezium-json"),
    "visits": table("visits", "shop STRING, guests INT, t TIMESTAMP(3), WATERMARK FOR t AS t"),
    "rates": table(
        "rates",
        "shop STRING PRIMARY KEY NOT ENFORCED, rate INT, fee INT, t TIMESTAMP(3), WATERMARK FOR t AS t",
        "debezium-json",
    ),
    "s1": table("s1", "k STRING, n BIGINT", "debezium-json"),
    "s2": table("s2", "k STRING, n BIGINT", "debezium-json"),
    "s3": table("s3", "k STRING, n BIGINT, m BIGINT", "debezium-json"),
    "appended": table("appended", "k STRING, n BIGINT"),
    "materialised": "CREATE TABLE materialised (n BIGINT, m BIGINT, k STRING, PRIMARY KEY (n) NOT ENFORCED) "
    "WITH ('connector' = 'blackhole');\n",
}


@dataclass(frozen=True)
class Pair:
    """An old and a new program.

    Args:
        old: a query whose rows go to `sink`, or statements.
        new: the same after the change.
        verdict: of the plan.
        operators: the worst verdict of the operators, if it differs from the plan's.
        says: a text that the difference contains.
        sink: the table that is written.
        before: declarations and settings of the old program, in place of the common ones.
        after: those of the new program; by default those of the old one.
    """

    old: str
    new: str
    verdict: Verdict
    operators: Verdict | None = None
    says: tuple[str, ...] = ()
    sink: str = "s1"
    before: str = ""
    after: str | None = None


@cache
def compiled(text: str, sink: str = "s1", own: str = "") -> CompiledPlan:
    """The plan of a query or of statements, with the tables that they name."""
    statements = text if text.lstrip().startswith(("INSERT", "EXECUTE", "CREATE")) else f"INSERT INTO {sink} {text};"
    if statements.count("INSERT INTO") > 1 and "EXECUTE" not in statements:
        statements = f"EXECUTE STATEMENT SET BEGIN {statements} END;"
    tables = [
        table
        for name, table in TABLES.items()
        if f"TABLE {name} " not in own and re.search(rf"\b{name}\b", f"{own}{statements}")
    ]
    return TableEnvironment().compile_script(f"{own}{''.join(tables)}{statements}")


def diff_of(pair: Pair) -> PlanDiff:
    """The difference between the plans of the two programs."""
    after = pair.before if pair.after is None else pair.after
    return diff_plans(compiled(pair.old, pair.sink, pair.before), compiled(pair.new, pair.sink, after))


def shown(diff: PlanDiff) -> str:
    """The difference as text, one line for each part and edit."""
    lines = [f"verdict: {diff.verdict.value}"]
    for part in diff.parts:
        lines.append(f"{_title(part)}: {part.change.value}, {part.verdict.value}. {part.why}")
        if isinstance(part, OperatorEdit):
            lines += [f"  place: {part.place}"] if part.place else []
            lines += [f"  ttl {ttl.name}: {ttl.old} -> {ttl.new}" for ttl in part.ttls]
        lines += [f"  {e.property}: {e.old} -> {e.new}, {e.verdict.value}. {e.why}" for e in part.edits]
    return "\n".join([*lines, *(f"{e.property}: {e.old} -> {e.new}" for e in diff.stateless)])


def _title(part: OperatorEdit | SourceEdit | SinkEdit) -> str:
    if isinstance(part, OperatorEdit):
        return f"operator {part.words}"
    return f"source {part.name}, {part.offsets}" if isinstance(part, SourceEdit) else f"sink {part.name}, {part.gets}"


def check(pair: Pair) -> None:
    """Assert the verdicts and the text of the pair's difference."""
    diff = diff_of(pair)
    text = shown(diff)
    operators = worst(operator.verdict for operator in diff.operators)
    expected = pair.verdict if pair.operators is None else pair.operators
    assert (diff.verdict, operators) == (pair.verdict, expected), text
    for phrase in pair.says:
        assert phrase in text, f"{phrase!r} is not in\n{text}"
