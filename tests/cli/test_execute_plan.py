"""`execute-plan`: data and progress separated, exit codes, signals."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import zipfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from compiled_plan.environment import TableEnvironment
from tests.conformance.cases import CASES
from tests.support.commands import called, process

COMMAND = [sys.executable, "-m", "compiled_plan.cli.execute_plan"]
SMALL = ["--master", "local[1]", "--conf", "spark.driver.memory=1g"]
PRINT = "CREATE TABLE lines (id INT, name STRING) WITH ('connector' = 'print');\n"
PlanFile = Callable[[str, str], Path]


@pytest.fixture
def plan_file(tmp_path: Path) -> PlanFile:
    def write(name: str, program: str) -> Path:
        path = tmp_path / name
        path.write_text(TableEnvironment().compile_script(program).to_json())
        return path

    return write


run = partial(called, "execute_plan")


@pytest.mark.wide
@pytest.mark.usefixtures("shared_session")
def test_plans_one_after_another_with_one_that_fails(plan_file: PlanFile, tmp_path: Path) -> None:
    good = plan_file("good.json", PRINT + "INSERT INTO lines VALUES (1, 'a'), (2, CAST(NULL AS STRING));")
    fails = plan_file("fails.json", PRINT + "INSERT INTO lines SELECT CAST(n AS INT), n FROM (VALUES ('x')) AS t(n);")
    broken = tmp_path / "broken.json"
    broken.write_text("{")
    address = "jdbc:postgresql://127.0.0.1:1/shop"
    options = f"'connector' = 'jdbc', 'url' = '{address}', 'table-name' = 'o', 'connection.max-retry-timeout' = '1 s'"
    away = plan_file("away.json", f"CREATE TABLE o (id INT) WITH ({options}); INSERT INTO o VALUES (1);")
    done = run("--keep-going", "--json", *map(str, (fails, broken, away, good, good)))
    assert done.stdout.splitlines() == ["+I[1, a]", "+I[2, null]"] * 2
    assert done.returncode == 1
    errors = [line for line in done.stderr.splitlines() if line.startswith("error:")]
    assert len(errors) == 3
    # An unreachable database is retried, then named.
    assert f"waiting for {address}" in done.stderr
    assert any(f"{away}: the database does not answer: {address}" in line for line in errors)
    assert any(str(fails) in line and "x" in line for line in errors)
    assert any(str(broken) in line for line in errors)
    assert "Traceback" not in done.stderr
    messages = [json.loads(line) for line in done.stderr.splitlines() if line.startswith("{")]
    good_run = messages[[message.get("plan") for message in messages].index(str(good)) :]
    assert [message["event"] for message in good_run] == ["start", "batch", "end"] * 2
    assert good_run[0]["version"] == 1
    assert good_run[1]["rowsOut"] == 2


@pytest.mark.wide
@pytest.mark.spark
def test_sigterm_ends_a_continuous_run(plan_file: PlanFile) -> None:
    program = PRINT + (
        "CREATE TABLE numbers (id INT) WITH ('connector' = 'datagen', 'rows-per-second' = '20');\n"
        "INSERT INTO lines SELECT id, 'x' FROM numbers;"
    )
    command = [*COMMAND, *SMALL, "--json", "--trigger", "200 ms", str(plan_file("endless.json", program))]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        for line in process.stderr:
            if '"event": "batch"' in line:
                process.send_signal(signal.SIGTERM)
                break
        _, rest = process.communicate(timeout=60)
    assert process.returncode == 143
    assert json.loads(rest.splitlines()[-1])["stopped"] is True


def test_dry_run_shows_stages_and_starts_nothing(plan_file: PlanFile) -> None:
    program = PRINT + "INSERT INTO lines SELECT id, MAX(name) FROM (VALUES (1, 'a')) AS t(id, name) GROUP BY id;"
    plan = plan_file("plan.json", program)
    done = process("execute_plan", "--dry-run", plan, JAVA_HOME="/nonexistent", PATH="")
    assert done.returncode == 0, done.stderr
    assert "stage 1" in done.stdout
    assert "groupAggregateState = 0 ms" in done.stdout


def test_dry_run_gives_the_stages_as_json(plan_file: PlanFile) -> None:
    program = PRINT + "INSERT INTO lines SELECT id, MAX(name) FROM (VALUES (1, 'a')) AS t(id, name) GROUP BY id;"
    document = json.loads(run("--dry-run", "--json", str(plan_file("plan.json", program))).stdout)
    assert (document["version"], document["timeZone"], document["timeZoneFrom"]) == (1, "UTC", "")
    (operator,) = document["stages"][0]["operators"]
    assert operator["state"] == [{"name": "groupAggregateState", "ttl": "0 ms"}]
    assert [source["stage"] for source in document["sources"]] == [1]
    assert document["sinks"][0]["name"].endswith("lines")


def test_a_node_that_cannot_run_is_refused_by_name() -> None:
    plan = CASES / "errors/order_by_non_time_no_limit/flink-plan.json"
    done = run("--dry-run", str(plan))
    assert done.returncode == 1
    assert "stream-exec-sort_1" in done.stderr
    assert "node " in done.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ["--conf", "no-equals-sign"],
        ["--trigger", "soon"],
        ["--trigger", "1s", "--available-now"],
        ["--host", "elsewhere"],
        ["--no-such-option"],
    ],
    ids=lambda arguments: " ".join(arguments),
)
def test_wrong_usage(arguments: list[str], plan_file: PlanFile) -> None:
    done = run(*arguments, str(plan_file("plan.json", PRINT + "INSERT INTO lines VALUES (1, 'a');")))
    assert done.returncode == 2
    assert "Traceback" not in done.stderr


def test_one_checkpoint_for_two_plans_is_wrong_usage(plan_file: PlanFile) -> None:
    plan = str(plan_file("plan.json", PRINT + "INSERT INTO lines VALUES (1, 'a');"))
    assert run("--checkpoint", "somewhere", plan, plan).returncode == 2


@pytest.mark.parametrize(
    ("said", "options", "first"),
    [
        ("", [], "time zone UTC; the plan says none"),
        ("Asia/Tokyo", [], "time zone Asia/Tokyo, from the plan"),
        ("", ["--time-zone", "+05:30"], "time zone GMT+05:30, from --time-zone"),
        ("Asia/Tokyo", ["--time-zone", "UTC"], "time zone UTC, from --time-zone; the plan says Asia/Tokyo"),
    ],
)
def test_a_dry_run_shows_the_time_zone_and_its_origin(
    plan_file: PlanFile, said: str, options: list[str], first: str
) -> None:
    setting = f"SET 'table.local-time-zone' = '{said}';" if said else ""
    program = setting + PRINT + "INSERT INTO lines SELECT 1, CAST(TO_TIMESTAMP_LTZ(0, 3) AS STRING);"
    done = run("--dry-run", *options, str(plan_file("zoned.json", program)))
    assert done.stdout.splitlines()[0] == first


_NESTED = "table.exec.sink.nested-constraint-enforcer"


def test_session_options_fill_what_the_plan_leaves_open(plan_file: PlanFile) -> None:
    program = "SET 'table.exec.sink.type-length-enforcer' = 'TRIM_PAD';" + PRINT + "INSERT INTO lines VALUES (1, 'a');"
    said = f"SET '{_NESTED}' = 'ROWS';"
    collections = ("--dry-run", "--set", f"{_NESTED}=ROWS_AND_COLLECTIONS")
    open_, settled = plan_file("open.json", program), plan_file("settled.json", said + program)
    refused = run(*collections, str(open_))
    assert (refused.returncode, run("--dry-run", str(open_)).returncode) == (1, 0)
    assert "TRIM_PAD" in refused.stderr and "ROWS_AND_COLLECTIONS" in refused.stderr
    assert run(*collections, str(settled)).returncode == 0


@pytest.mark.parametrize(
    ("option", "message"),
    [
        (f"{_NESTED}=ALL", "ROWS_AND_COLLECTIONS"),
        ("table.local-time-zone=UTC", "--time-zone UTC"),
        ("table.exec.sink.upsert-materialize=NONE", "not a session option of a run"),
        ("table.exec.state.ttl", "NAME=VALUE"),
    ],
)
def test_an_option_that_no_plan_leaves_open_is_wrong_usage(plan_file: PlanFile, option: str, message: str) -> None:
    done = run("--dry-run", "--set", option, str(plan_file("any.json", PRINT + "INSERT INTO lines SELECT 1, 'a';")))
    assert done.returncode == 2
    assert message in " ".join(done.stderr.replace("│", " ").split())


def test_an_unknown_zone_is_wrong_usage(plan_file: PlanFile) -> None:
    done = run(
        "--dry-run",
        "--time-zone",
        "Mars/Phobos",
        str(plan_file("any.json", PRINT + "INSERT INTO lines SELECT 1, 'a';")),
    )
    assert done.returncode == 2
    assert "Mars/Phobos" in done.stderr


@pytest.mark.parametrize("message", ["missing.json' does not exist", "the checkpoint is a file", "cannot run here"])
def test_a_start_that_cannot_succeed_is_refused_without_a_jvm(
    plan_file: PlanFile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, message: str
) -> None:
    def never(*_: object, **__: object) -> None:
        raise AssertionError("a JVM was started")

    monkeypatch.setattr("compiled_plan.cli.actions.runs.session_of_command", never)
    table = "CREATE TABLE t (id INT, name STRING) WITH ('connector' = 'filesystem', 'format' = 'json', 'path' = '{}');"
    source = tmp_path / ("missing.json" if message.startswith("missing") else "in.json")
    (tmp_path / "in.json").write_text("")
    plan = plan_file(
        "plan.json", PRINT + table.format(source) + "INSERT INTO lines SELECT id, name FROM t WHERE id > 1;"
    )
    if message == "cannot run here":
        plan.write_text(plan.read_text().replace("stream-exec-calc_1", "stream-exec-ml-predict-table-function_1"))
    checkpoint = ["--checkpoint", str(tmp_path / "in.json")] if "checkpoint" in message else []
    events = tmp_path / "events.jsonl"
    before = sorted(tmp_path.iterdir())
    done = run(*checkpoint, "--progress-file", str(events), str(plan))
    assert (done.returncode, done.stdout) == (1, "")
    assert message in done.stderr
    assert sorted(tmp_path.iterdir()) == sorted([*before, events])
    assert message in events.read_text().splitlines()[-1]


def test_a_dry_run_checks_the_places_of_java_functions(plan_file: PlanFile, tmp_path: Path) -> None:
    for name in ("com/shop/Shout", "com/shop/Mean"):
        with zipfile.ZipFile(tmp_path / f"{name[-4:]}.jar", "w") as jar:
            jar.writestr(f"{name}.class", b"")
    (tmp_path / "text.jar").write_text("no jar")
    options = "'signature' = '(INT) -> INT'"
    functions = f"CREATE FUNCTION shout AS 'com.shop.Shout' WITH ({options});"
    functions += f"CREATE FUNCTION mean AS 'com.shop.Mean' WITH ({options}, 'kind' = 'AGGREGATE');"
    source = "CREATE TABLE t (a INT) WITH ('connector' = 'datagen');"
    program = f"{functions}{PRINT}{source} INSERT INTO lines SELECT shout(mean(a)), 'x' FROM t"
    plan = plan_file("plan.json", program)

    def dry(path: Path, *places: object) -> tuple[int, str]:
        done = run("--dry-run", *(part for place in places for part in ("--functions-from", str(place))), str(path))
        return done.returncode, done.stderr

    jars = (tmp_path / "hout.jar", tmp_path / "Mean.jar")
    assert dry(plan, *jars) == (0, "")
    assert dry(plan, "com.shop") == (0, "")
    for places, message in {
        (): "calls the Java class com.shop.",
        jars[:1]: f"the Java class com.shop.Mean, and {jars[0]} does not have it",
        (tmp_path / "none.jar",): "there is no jar",
        (tmp_path / "text.jar",): "text.jar' is no jar",
    }.items():
        code, text = dry(plan, *places)
        assert (code, message in text, "--functions-from" in text) == (1, True, True), text
