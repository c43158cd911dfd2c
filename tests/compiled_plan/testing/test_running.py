"""Tests of programs in both engines: their results, and what a failure shows."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest.mock import Mock

import pytest

from compiled_plan.plans.execution.testing.engine import QUICK, SPARK, Engines
from compiled_plan.plans.execution.testing.quick import NotQuickError
from compiled_plan.plans.execution.testing.sessions import engines_of
from compiled_plan.testing.cases import Case, cases_in, cases_of
from compiled_plan.testing.document import read_document
from compiled_plan.testing.programs import ProgramTest
from compiled_plan.testing.reporting import failure_text, junit, result_lines
from compiled_plan.testing.running import run_case

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

HERE = Path(__file__).parent
SAMPLE = HERE.parent.parent.parent / "samples/testing/orders.test.yaml"
CASES = [*cases_in(HERE / "steps.yaml"), *cases_in(SAMPLE)]
#: Tests that `make test` runs on Spark, too.
ON_SPARK = ("a killed run repeats its micro-batch", "windows of several micro-batches close")


@pytest.fixture
def engines(spark: SparkSession) -> Engines:
    return engines_of(spark)


def passes(case: Case, engines: Engines, engine: str) -> None:
    result = run_case(case, engines, engine)
    assert result.failure is None, failure_text(result.failure)
    assert result.engine == (case.engine or engine)


def name(case: Case) -> str:
    return case.name


@pytest.mark.sampled(2)
@pytest.mark.parametrize("case", CASES, ids=name)
def test_without_a_query(case: Case, engines: Engines) -> None:
    passes(case, engines, QUICK)


@pytest.mark.wide
@pytest.mark.parametrize("case", [case for case in CASES if case.name in ON_SPARK], ids=name)
def test_on_spark(case: Case, engines: Engines) -> None:
    passes(case, engines, SPARK)


@pytest.mark.wide
@pytest.mark.parametrize("case", [case for case in CASES if case.name not in ON_SPARK], ids=name)
def test_all_on_spark(case: Case, engines: Engines) -> None:
    passes(case, engines, SPARK)


WRONG = """\
init: programs/tables.sql
program: programs/sums.sql
steps:
  - rows: {orders: [{customer: a, price: 1}, {customer: b, price: 5}]}
  - expect: {sums: [+I: {customer: a, total: 1}, +I: {customer: b, total: 6}]}
"""


def test_a_wrong_expectation_shows_the_row(engines: Engines) -> None:
    (case,) = cases_of(read_document(HERE / "wrong.test.yaml", WRONG))
    result = run_case(case, engines)
    assert result.failure is not None
    lines = failure_text(result.failure).splitlines()
    assert "wrong.test.yaml', line 5: sums differs" in lines[0]
    assert lines[2:] == [
        "    +I {customer: a, total: 1}",
        "  - +I {customer: b, total: 6}",
        "  + +I {customer: b, total: 5}",
        "  total: expected 6, got 5",
    ]
    assert [line.text[:6] for line in result_lines(result)] == ["FAILED"]
    assert '<failure message="sums differs">' in junit([result], 0.1)


def test_a_plan_for_a_query_goes_to_spark(engines: Engines) -> None:
    text = "sql: INSERT INTO places VALUES (1, 'Ulm')\ninit: programs/tables.sql\nsteps:\n  - clock: +1 s\n"
    (case,) = cases_of(read_document(HERE / "values.test.yaml", text))
    result = run_case(case, engines)
    assert (result.engine, result.reason) == (SPARK, "node 1 has constant rows")
    assert result.failure is None


def test_steps_in_python(engines: Engines) -> None:
    program, init = HERE / "programs/sums.sql", [HERE / "programs/tables.sql"]
    with ProgramTest(program, init=init, engines=engines) as test:
        test.rows(orders=[{"customer": "a", "price": 1}])
        test.restart()
        test.rows(orders=[[2, "a", 2, None]])
        test.expect_table(sums=[{"customer": "a", "total": 3}])
        test.clock("+2 h")
        test.rows(orders=[{"customer": "a", "price": 4}])
        with pytest.raises(AssertionError, match="total: expected 7, got 4"):
            test.expect(sums=[{"+I": ["a", 7]}])


LOOKUP = """
INSERT INTO places SELECT o.id, c.city FROM (SELECT *, PROCTIME() AS now FROM orders) AS o
JOIN customers FOR SYSTEM_TIME AS OF o.now AS c ON o.customer = c.name;
"""


def test_lookup_tables_of_two_tests_at_once(engines: Engines) -> None:
    init = [HERE / "programs/tables.sql"]
    with (
        ProgramTest(sql=LOOKUP, init=init, engines=engines) as left,
        ProgramTest(sql=LOOKUP, init=init, engines=engines) as right,
    ):
        left.rows(customers=[["a", "Ulm"]])
        right.rows(customers=[["a", "Bonn"]])
        for test, city, wrong in ((left, "Ulm", "Bonn"), (right, "Bonn", "Ulm")):
            test.rows(orders=[{"id": 1, "customer": "a"}])
            with pytest.raises(AssertionError, match=city):
                test.expect(places=[[1, wrong]])


METADATA = """
sql: |
  CREATE TABLE o (id INT, part STRING METADATA FROM 'partition', seen TIMESTAMP(3) METADATA FROM 'timestamp')
  WITH ('connector' = 'kafka', 'topic' = 'o', 'properties.bootstrap.servers' = 'b:1', 'format' = 'json');
  CREATE TABLE p (id INT, part STRING, seen TIMESTAMP(3)) WITH ('connector' = 'print');
  CREATE TABLE q (id INT) WITH ('connector' = 'print');
  SET 'table.local-time-zone' = 'Europe/Berlin';
  BEGIN STATEMENT SET;
  INSERT INTO p SELECT * FROM o;
  INSERT INTO q SELECT id FROM o /*+ OPTIONS('scan.startup.mode' = 'latest-offset') */;
  END;
steps:
  - rows: {o: [{id: 1, part: 3, seen: 2024-01-31 12:00:00Z}]}
  - expect: {p: [[1, '3', 2024-01-31 13:00:00]], q: [[1]]}
"""


@pytest.mark.parametrize("engine", [QUICK, pytest.param(SPARK, marks=pytest.mark.wide)])
def test_metadata_has_the_type_of_the_connector(engine: str, engines: Engines) -> None:
    (case,) = cases_of(read_document(HERE / "metadata.test.yaml", METADATA))
    passes(case, engines, engine)


def test_a_test_that_does_not_start_leaves_nothing(engines: Engines) -> None:
    closed: list[str] = []

    def recording(name: str, clock: int) -> Any:
        engine: Any = engines(name, clock)
        close = engine.close
        engine_close = Mock(side_effect=lambda: (closed.append(name), close()))
        return Mock(wraps=engine, close=engine_close)

    values = ProgramTest(
        sql="INSERT INTO places VALUES (1, 'Ulm');", init=[HERE / "programs/tables.sql"], engines=recording
    )
    with pytest.raises(NotQuickError), values:
        pass
    assert closed == [QUICK]


def test_rows_of_a_test_hold_no_direct_memory(engines: Engines, spark: SparkSession) -> None:
    jvm: Any = spark._jvm
    memory = jvm.org.apache.spark.sql.util.ArrowUtils.rootAllocator()
    before = memory.getAllocatedMemory()
    passes(next(case for case in CASES if case.name == "state expires"), engines, QUICK)
    assert memory.getAllocatedMemory() == before
