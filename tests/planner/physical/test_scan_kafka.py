"""Message tables in plans: for the programs in `kafka/` the plans that Flink 2.3 compiles with its connector 5.0."""

from __future__ import annotations

from pathlib import Path

import pytest

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.errors import CompiledPlanError
from compiled_plan.plans.plan import CompiledPlan
from tests.conformance.cases import same_plan

CASES = sorted(path.parent for path in Path(__file__).with_name("kafka").glob("*/program.sql"))
WHERE = "'properties.bootstrap.servers' = 'localhost:9092', 'topic' = 't'"


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_plan_equals_flinks(case: Path) -> None:
    plan, program = ((case / name).read_text() for name in ("flink-plan.json", "program.sql"))
    if "table.local-time-zone" in plan:
        # Flink's window nodes contain the session time zone.
        program = f"SET 'table.local-time-zone' = 'UTC';{program}"
    actual = TableEnvironment().compile_script(program).to_json()
    assert same_plan(actual, plan)
    assert same_plan(CompiledPlan.from_json(plan).to_json(), plan)


def compiled(options: str, columns: str = "a INT, b STRING", *, write: bool = False) -> None:
    table = f"CREATE TABLE K ({columns}) WITH ({options});"
    sink = "CREATE TABLE o (a INT, b STRING) WITH ('connector' = 'blackhole');"
    insert = "INSERT INTO K SELECT 1, 'b'" if write else "INSERT INTO o SELECT a, b FROM K"
    TableEnvironment().compile_script(table + sink + insert)


KAFKA = f"'connector' = 'kafka', {WHERE}"
UPSERT = f"'connector' = 'upsert-kafka', {WHERE}, 'key.format' = 'json'"
KEYED = "a INT, b STRING, PRIMARY KEY (a) NOT ENFORCED"


@pytest.mark.parametrize(
    ("options", "columns", "write", "message"),
    [
        (f"{KAFKA}", "a INT, b STRING", False, "has no format"),
        ("'connector' = 'kafka', 'format' = 'json', 'topic' = 't'", "a INT, b STRING", False, "lacks the option"),
        (f"{KAFKA}, 'topic-pattern' = 'x', 'format' = 'json'", "a INT, b STRING", False, "both 'topic' and"),
        (f"{KAFKA}, 'format' = 'orc'", "a INT, b STRING", False, "format 'orc' is not supported by connector 'kafka'"),
        (f"{KAFKA}, 'format' = 'json', 'key.format' = 'json'", "a INT, b STRING", False, "no key columns"),
        (f"{KAFKA}, 'format' = 'json', 'key.fields' = 'a'", "a INT, b STRING", False, "no format for keys"),
        (f"{KAFKA}, 'format' = 'json', 'key.format' = 'json', 'key.fields' = 'x'", "a INT, b STRING", False, "'x'"),
        (
            f"{KAFKA}, 'format' = 'json', 'key.format' = 'raw', 'key.fields' = 'a', 'key.fields-prefix' = 'k'",
            "a INT, b STRING",
            False,
            "does not begin with 'k'",
        ),
        (f"{KAFKA}, 'format' = 'json', 'key.format' = 'raw', 'key.fields' = 'a;b'", "a INT, b STRING", False, "one"),
        (f"{KAFKA}, 'format' = 'json', 'scan.startup.mode' = 'never'", "a INT, b STRING", False, "invalid value"),
        (
            f"{KAFKA}, 'format' = 'json', 'scan.startup.mode' = 'timestamp'",
            "a INT, b STRING",
            False,
            "lacks the option 'scan.startup.timestamp-millis'",
        ),
        (
            f"{KAFKA}, 'format' = 'json', 'scan.bounded.mode' = 'specific-offsets', "
            "'scan.bounded.specific-offsets' = '0:3'",
            "a INT, b STRING",
            False,
            "invalid value '0:3'",
        ),
        (f"{KAFKA}, 'format' = 'json', 'properties.key.deserializer' = 'x'", "a INT, b STRING", False, "deserializer"),
        (f"{KAFKA}, 'format' = 'json', 'scan.watermark.idle-timeout' = '-1 s'", "a INT, b STRING", False, "idle"),
        (
            f"{KAFKA}, 'format' = 'json', 'scan.watermark.alignment.group' = 'g'",
            "a INT, b STRING",
            False,
            "'scan.watermark.alignment.group'",
        ),
        (f"{KAFKA}, 'format' = 'json', 'scan.watermark.emit.strategy' = 'x'", "a INT, b STRING", False, "on-event"),
        (
            f"{KAFKA}, 'format' = 'json', 'scan.watermark.emit.on-event.gap' = '3'",
            "a INT, b STRING",
            False,
            "no option 'scan.watermark.emit.on-event.gap'",
        ),
        (f"{KAFKA}, 'format' = 'json'", KEYED, False, "has a primary key"),
        (f"{KAFKA}, 'format' = 'json'", "a INT, b STRING METADATA FROM 'value.x'", False, "invalid metadata key"),
        (f"{KAFKA}, 'format' = 'json'", "a MAP<INT, INT> METADATA FROM 'offset', b STRING", False, "the metadata is"),
        (f"{KAFKA}, 'format' = 'json', 'sink.delivery-guarantee' = 'exactly-once'", "a INT, b STRING", True, "exactly"),
        (f"{KAFKA}, 'format' = 'json', 'sink.partitioner' = 'org.X'", "a INT, b STRING", True, "'org.X'"),
        (f"{KAFKA}, 'format' = 'json'", "a INT METADATA FROM 'offset', b STRING", True, "cannot be written"),
        (f"{UPSERT}, 'value.format' = 'json'", "a INT, b STRING", False, "has no primary key"),
        (f"{UPSERT}, 'value.format' = 'debezium-json'", KEYED, False, "holds changes"),
        (f"{UPSERT}, 'format' = 'json'", KEYED, False, "no option 'format'"),
        (
            f"{UPSERT}, 'value.format' = 'json', 'scan.startup.mode' = 'latest-offset'",
            KEYED,
            False,
            "no option 'scan.startup.mode'",
        ),
    ],
)
def test_refusals(options: str, columns: str, write: bool, message: str) -> None:
    with pytest.raises(CompiledPlanError) as caught:
        compiled(options, columns, write=write)
    assert message in str(caught.value)
