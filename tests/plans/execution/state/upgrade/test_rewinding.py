"""Rewinds on Spark: state, positions and output of an earlier micro-batch, and runs that go on from there."""

from __future__ import annotations

import json
import os
import random
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from compiled_plan.plans.errors import CheckpointError
from compiled_plan.plans.execution.spark.storage import LocalFolder
from compiled_plan.plans.execution.state.checkpoint.offsets import progress_of
from compiled_plan.plans.execution.state.checkpoint.store import Store
from compiled_plan.plans.execution.state.reading.figures import state_report
from compiled_plan.plans.execution.state.reading.reader import StateReader
from compiled_plan.plans.execution.state.upgrade import rewinding
from compiled_plan.plans.execution.state.upgrade.rewinding import rewind
from compiled_plan.plans.execution.state.upgrade.rollback import prune, roll_back
from compiled_plan.plans.execution.tables.sinks import Sinks
from compiled_plan.plans.plan import CompiledPlan
from tests.plans.execution.disk_steps import Crash, DiskSteps
from tests.plans.execution.state.checkpoint.places import Place, table
from tests.plans.execution.state.upgrade.test_upgrade_moves import together
from tests.support.tiers import but_wide

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

TABLES = (
    table("orders", "id INT, shop STRING, price INT, t TIMESTAMP(3), WATERMARK FOR t AS t - INTERVAL '1' SECOND")
    + table("shops", "shop STRING, rent INT")
    + table("totals", "shop STRING, n BIGINT, s BIGINT", "debezium-json")
    + table("joined", "id INT, rent INT")
    + table("hours", "h TIMESTAMP(3), n BIGINT")
    + table("plain", "id INT, price INT")
)
TOTALS = "INSERT INTO totals SELECT shop, COUNT(*), SUM(price) FROM orders GROUP BY shop"
JOINED = "INSERT INTO joined SELECT id, rent FROM orders AS o JOIN shops AS s ON o.shop = s.shop"
PLAIN = "INSERT INTO plain SELECT id, price FROM orders"
PROGRAM = together(
    TOTALS,
    JOINED,
    "INSERT INTO hours SELECT window_start, COUNT(*) FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(t), "
    "INTERVAL '1' HOUR)) GROUP BY window_start, window_end",
    PLAIN,
)
SINKS = ("totals", "joined", "hours", "plain")


def write_input(place: Place, files: int) -> None:
    chance = random.Random(3)
    for number in range(files):
        orders = [
            {
                "id": 10 * number + at,
                "shop": f"s{chance.randrange(5)}",
                "price": chance.randrange(100),
                "t": f"2026-05-01 {number:02}:{chance.randrange(60):02}:00",
            }
            for at in range(5)
        ]
        place.add({"orders": orders, "shops": [{"shop": f"s{number % 5}", "rent": number}]})
        for name in ("orders", "shops"):
            # The order of files of one millisecond is arbitrary.
            os.utime(place.folder / name / f"{place.files}.json", (place.files, place.files))


@pytest.fixture
def place(spark: SparkSession, tmp_path: Path) -> Place:
    return Place(spark, tmp_path)


def step(place: Place, plan: CompiledPlan, **options: Any) -> None:
    """Run one micro-batch for each file that is new."""
    place.run(plan, max_files_per_batch=1, **options)


def output(place: Place, until: int | None = None) -> Mapping[str, list[str]]:
    """The changes in each sink, sorted; those of a generation up to a micro-batch."""
    rows = {}
    for name in SINKS:
        files = (place.folder / name).glob("part-*")
        chosen = (file for file in files if until is None or int(file.name.split("-")[2]) <= until)
        rows[name] = sorted(line for file in chosen for line in file.read_text().splitlines())
    return rows


def current(place: Place) -> tuple[int, int]:
    """The generation in force, and its last committed micro-batch."""
    store = Store(LocalFolder(place.checkpoint))
    head = store.head()
    assert head is not None
    committed = progress_of(store.generation(head.generation).folder).committed
    assert committed is not None
    return head.generation, committed


def rewound(place: Place, target: str, **options: Any) -> rewinding.Rewound:
    return rewind(place.spark, str(place.checkpoint), target, **options)


@pytest.mark.parametrize("rewinds", but_wide([1, 10], lambda rewinds: rewinds == 1))
def test_a_rewound_run_goes_on_as_one_that_never_went_further(place: Place, rewinds: int) -> None:
    """The output of the past alone, and then of the rest of the input, as in one run: row by row, change by change."""
    write_input(place, 2 + min(rewinds, 6))
    plan, chance = place.compiled(TABLES, PROGRAM), random.Random(rewinds)
    step(place, plan)
    whole, end = output(place), current(place)[1]
    assert all(whole.values())
    outputs = [output(place, batch) for batch in range(end)]
    for _ in range(rewinds):
        # Behind the last batch with rows no further one begins that would fire the timers of its watermark.
        batch, before = chance.randrange(end - 1), current(place)
        report = rewound(place, f"1/{batch}", dry_run=True)
        assert (current(place), output(place)) == (before, whole)
        assert "returned" in {sink.how for sink in report.sinks}
        report = rewound(place, f"1/{batch}")
        assert (report.origin, report.batch, report.before) == (1, batch, before[0])
        assert current(place) == (report.generation, batch)
        assert output(place) == outputs[batch]
        step(place, plan)
        assert output(place) == whole
    last = current(place)[0]
    assert prune(place.spark, str(place.checkpoint)) == tuple(range(1, last))
    assert not list(place.folder.glob("*/.compiled-plan-rewound"))
    # The generation does not depend on those that are gone.
    place.add({"orders": [{"id": 1, "shop": "new", "price": 1, "t": "2026-05-02 00:00:00"}]})
    step(place, plan)
    assert [line for line in output(place)["totals"] if '"shop":"new"' in line]


@pytest.mark.wide
def test_a_rewind_is_undone_with_its_output(place: Place) -> None:
    write_input(place, 3)
    plan = place.compiled(TABLES, PROGRAM)
    step(place, plan)
    whole, end = output(place), current(place)
    rewound(place, "1")
    assert output(place) != whole
    roll_back(place.spark, str(place.checkpoint))
    assert (current(place), output(place)) == (end, whole)
    rewound(place, "0")
    step(place, plan)
    report = roll_back(place.spark, str(place.checkpoint))
    assert "returned" in {sink.how for sink in report.outputs}
    assert (current(place), output(place)) == (end, whole)
    write_input(place, 1)
    step(place, plan)
    assert current(place)[0] == end[0]


@pytest.mark.wide
def test_a_wrong_filter_is_replaced_from_the_day_of_its_deployment(place: Place) -> None:
    right, wrong = (place.compiled(TABLES, together(TOTALS, f"{PLAIN}{where}")) for where in ("", " WHERE price < 50"))
    write_input(place, 4)
    step(place, right)
    good = current(place)[1]
    write_input(place, 4)
    step(place, wrong, upgrade="migrate-partial")
    report = rewound(place, f"1/{good}")
    assert report.origin == 1
    step(place, right)
    fixed = output(place)
    for name in ("checkpoint", *SINKS):
        shutil.rmtree(place.folder / name, ignore_errors=True)
    step(place, right)
    assert output(place) == fixed


@pytest.mark.wide
def test_a_rewind_returns_to_the_program_of_then(place: Place) -> None:
    first, second = (place.compiled(f"SET 'table.exec.state.ttl' = '{ttl} d';\n{TABLES}", TOTALS) for ttl in (1, 2))
    write_input(place, 3)
    step(place, first)
    end = current(place)[1]
    write_input(place, 3)
    step(place, second)
    store = Store(LocalFolder(place.checkpoint))
    heads = store.heads()
    assert [(head.generation, head.program, head.batch) for head in heads] == [(1, 1, 0), (1, 2, end + 1)]
    for target, program in ((end, heads[0]), (end + 1, heads[1])):
        report = rewound(place, str(target))
        head = store.head()
        assert head is not None
        assert head.generation == report.generation
        assert store.program(head).plan == store.program(program).plan
        roll_back(place.spark, str(place.checkpoint))
    assert store.program_in_force().plan == store.program(heads[1]).plan


@pytest.mark.wide
def test_output_that_is_kept_comes_twice(place: Place) -> None:
    write_input(place, 2)
    plan = place.compiled(TABLES, PLAIN)
    step(place, plan)
    before = output(place)["plain"]
    (sink,) = rewound(place, "0", keep_output=True).sinks
    assert (sink.how, sink.text) == ("kept", "5 rows kept, as --keep-output says")
    assert output(place)["plain"] == before
    step(place, plan)
    assert len(output(place)["plain"]) == len(before) + 5


@pytest.mark.wide
def test_sinks_that_do_not_take_output_back_are_named(place: Place) -> None:
    plan = place.compiled(
        TABLES, "CREATE TABLE shown (id INT) WITH ('connector' = 'print')", "INSERT INTO shown SELECT id FROM orders"
    )
    write_input(place, 2)
    step(place, plan)
    (sink,) = rewound(place, "0").sinks
    assert sink.how == "left"
    assert sink.text.startswith("5 rows left: print does not take output back")


@pytest.mark.wide
def test_a_rewind_that_ends_at_any_step_leaves_the_old_state_or_the_new_one(
    place: Place, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    write_input(place, 4)
    plan = place.compiled(TABLES, together(TOTALS, PLAIN))
    step(place, plan)
    whole, end, copy = output(place), current(place)[1], tmp_path_factory.mktemp("copy") / "place"
    shutil.copytree(place.folder, copy, ignore=shutil.ignore_patterns("lock"))
    past = output(place, 1)
    disk, seen, steps = DiskSteps(monkeypatch), set[str](), 0
    while True:
        disk.allow(steps)
        try:
            rewound(place, "1")
        except Crash:
            disk.allow()
        else:
            break
        generation, batch = current(place)
        if generation == 1:
            seen.add("old")
            assert (batch, output(place)) == (end, whole)
        else:
            seen.add("new")
            assert (generation, batch) == (2, 1)
            with pytest.raises(CheckpointError, match="--rewind-to 1 was interrupted"):
                step(place, plan)
        assert rewound(place, "1").generation == 2
        assert output(place) == past
        if steps % 10 == 0:
            step(place, plan)
            assert output(place) == whole
        shutil.rmtree(place.folder)
        shutil.copytree(copy, place.folder)
        steps += 3
    assert seen == {"old", "new"}


@pytest.mark.wide
def test_fewer_micro_batches_are_retained_as_requested(place: Place) -> None:
    write_input(place, 6)
    step(place, place.compiled(TABLES, TOTALS), retain_batches=2)
    with pytest.raises(CheckpointError, match=r"retains micro-batches [3-9]") as refused:
        rewound(place, "0")
    assert "--retain-batches" in str(refused.value)
    retention = state_report(StateReader.open(place.spark, str(place.checkpoint))).retention
    assert retention is not None
    assert 0 < retention.first < retention.last == current(place)[1]
    assert rewound(place, "4").batch == 4
    assert json.loads(json.dumps(rewound(place, "4").to_dict()))["generation"] == 2, "a repetition changes nothing"


@pytest.mark.wide
def test_the_pending_micro_batch_before_a_migration_runs_with_a_time_of_retention(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_input(place, 3)
    plan, write = place.compiled(TABLES, TOTALS), Sinks.write

    def write_some(sinks: Sinks, frame: DataFrame, batch: int, *rest: Any, **options: Any) -> None:
        if batch == 2:
            raise OSError("no space left")
        write(sinks, frame, batch, *rest, **options)

    with monkeypatch.context() as patch, pytest.raises(Exception, match="no space left"):
        patch.setattr(Sinks, "write", write_some)
        step(place, plan)
    step(place, plan, available_now=False, trigger="1s", retain_for="1h", upgrade="migrate")
    assert rewound(place, "1/2").batch == 2


@pytest.mark.wide
def test_a_checkpoint_on_another_file_system_is_rewound(place: Place, mounted: str) -> None:
    """Files are copied there; constant rows are read once."""
    values = "INSERT INTO plain SELECT * FROM (VALUES (1, 2)) AS v (id, price)"
    plan, checkpoint = place.compiled(TABLES, together(TOTALS, values)), f"{mounted}/checkpoint"
    write_input(place, 3)
    step(place, plan, checkpoint=checkpoint)
    whole, past = output(place), output(place, 1)
    rewind(place.spark, checkpoint, "1")
    assert output(place) == past
    step(place, plan, checkpoint=checkpoint)
    assert output(place) == whole
