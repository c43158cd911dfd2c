"""Rewrites preserve the meaning of queries: the tree before and after gives the same rows."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import pytest

from compiled_plan.environment import TableEnvironment
from compiled_plan.planner.algebra.nodes import RelNode, Sink
from compiled_plan.planner.catalog.tables import CatalogTable, Column, ObjectIdentifier
from compiled_plan.planner.options.settings import Settings
from compiled_plan.planner.physical.draft import Draft
from compiled_plan.planner.pipeline import PIPELINE, drafts
from compiled_plan.planner.sql.binding.core import Surroundings
from compiled_plan.planner.sql.binding.queries import new_binder
from compiled_plan.planner.sql.binding.source import SourceText
from compiled_plan.planner.sql.nodes.statements import Insert
from compiled_plan.planner.sql.parse import parse_script
from compiled_plan.plans.plan import CompiledPlan
from compiled_plan.plans.types import BooleanType
from tests.planner.rules.evaluate import Evaluator
from tests.planner.rules.random_queries import Generator

DDL = """
CREATE TABLE o (oid INT, cust STRING, qty INT) WITH ('connector' = 'filesystem', 'path' = '/o', 'format' = 'json');
CREATE TABLE p (pid INT, oid INT, paid INT) WITH ('connector' = 'filesystem', 'path' = '/p', 'format' = 'json');
CREATE TABLE c (name STRING, rank_ INT) WITH ('connector' = 'filesystem', 'path' = '/c', 'format' = 'json');
CREATE TABLE k (id INT, v INT, PRIMARY KEY (id) NOT ENFORCED)
  WITH ('connector' = 'filesystem', 'path' = '/k', 'format' = 'debezium-json');
CREATE TABLE s2 (a BIGINT, b BIGINT) WITH ('connector' = 'print');
CREATE TABLE s3 (a BIGINT, b BIGINT, c BIGINT) WITH ('connector' = 'print');
CREATE TABLE s3b (a BIGINT, b BIGINT, c BOOLEAN) WITH ('connector' = 'print');
CREATE TABLE s4b (a BIGINT, b BIGINT, c BIGINT, d BOOLEAN) WITH ('connector' = 'print');
CREATE VIEW totals AS SELECT cust, SUM(qty) AS total, COUNT(*) AS n FROM o GROUP BY cust;
"""

QUERIES = (Path(__file__).parent / "queries.sql").read_text().splitlines()


def tables(seed: int) -> dict[str, list[dict[str, object]]]:
    """Few rows over few values, with nulls and duplicates; sometimes no rows."""
    rng = random.Random(seed)

    def number() -> int | None:
        return rng.choice([None, 1, 2, 2, 3, 4, 5])

    def text() -> str | None:
        return rng.choice([None, "a", "b", "c"])

    def size() -> int:
        return rng.choice([0, 3, 6])

    return {
        "o": [{"oid": number(), "cust": text(), "qty": number()} for _ in range(size() + 2)],
        "p": [{"pid": number(), "oid": number(), "paid": number()} for _ in range(size())],
        "c": [{"name": text(), "rank_": number()} for _ in range(size())],
        "k": [{"id": key, "v": number()} for key in rng.sample(range(1, 7), rng.choice([0, 3]))],
    }


@pytest.fixture(scope="module")
def environment() -> TableEnvironment:
    environment = TableEnvironment()
    environment.execute_sql(DDL)
    return environment


@pytest.mark.sampled(2)
@pytest.mark.parametrize("query", QUERIES)
def test_rewrites_keep_the_meaning(query: str, environment: TableEnvironment) -> None:
    bound = _bound(environment, query)
    optimized = _optimized(bound)
    for seed in range(25):
        inputs = tables(seed)
        before = Counter(Evaluator(inputs).rows(bound))
        after = Counter(Evaluator(inputs).rows(optimized))
        assert after == before, f"seed {seed}: {inputs}"


@pytest.mark.wide
@pytest.mark.slow
@pytest.mark.parametrize(
    "start", [pytest.param(start, marks=pytest.mark.deep if start >= 60 else ()) for start in range(0, 200, 20)]
)
def test_rewrites_keep_the_meaning_of_random_queries(start: int, environment: TableEnvironment) -> None:
    for seed in range(start, start + 20):
        query = Generator(seed).query()
        bound = _bound(environment, query)
        optimized = _optimized(bound)
        for data in range(4):
            inputs = tables(seed * 7 + data)
            after = Counter(Evaluator(inputs).rows(optimized))
            assert after == Counter(Evaluator(inputs).rows(bound)), f"{query} over {inputs}"
        plan = environment.compile_plan_sql(f"INSERT INTO {_target(bound)} {query}")
        assert CompiledPlan.from_json(plan.to_json()) == plan


def _optimized(bound: Sink) -> RelNode:
    """The tree as the physical planner receives it."""
    names = [step.name for step in PIPELINE]
    *_, (_, draft) = drafts(Draft(Settings({}), (bound,)), PIPELINE[: names.index("choose_operators")])
    (tree,) = draft.trees
    return tree


def _target(bound: Sink) -> str:
    """The sink table of a query: numbers, or numbers and a truth value."""
    last = bound.row_type.types[-1]
    return f"s{len(bound.row_type.fields)}" + ("b" if isinstance(last, BooleanType) else "")


def _bound(environment: TableEnvironment, query: str) -> Sink:
    """The query bound as an INSERT into a table with its columns."""
    text = f"INSERT INTO o {query}"
    (statement,) = parse_script(text)
    assert isinstance(statement, Insert)
    binder = new_binder(SourceText(text), environment.catalog)
    rel = binder.bind_query(binder, statement.query, Surroundings())
    names = [f"c{at}" for at in range(len(rel.types))]
    columns = tuple(Column(name, type_) for name, type_ in zip(names, rel.types, strict=True))
    target = CatalogTable(ObjectIdentifier("a", "b", "sink"), columns, (("connector", "print"),))
    return Sink(rel.rel, target)
