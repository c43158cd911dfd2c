"""`compile-plan` as a user calls it."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from compiled_plan.cli.compile_plan import app
from tests.support.commands import called
from tests.support.quickness import times_the_reference

PROGRAM = """
CREATE TABLE orders (id INT, item STRING) WITH ('connector' = 'filesystem', 'path' = '/o', 'format' = 'json');
CREATE TABLE shipments (id INT, day_ STRING) WITH ('connector' = 'filesystem', 'path' = '/s', 'format' = 'json');
CREATE TABLE joined (id INT, item STRING, day_ STRING)
  WITH ('connector' = 'filesystem', 'path' = '/j', 'format' = 'json');
INSERT INTO joined SELECT o.id, item, day_ FROM orders o JOIN shipments s ON o.id = s.id;
"""
BROKEN = PROGRAM.replace("item, day_ FROM", "itm, day_ FROM")


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "program.sql"
    path.write_text(PROGRAM, encoding="utf-8")
    return path


def run(*arguments: str | Path) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    return result.exit_code, result.stdout, result.stderr


def test_a_plan_file(program: Path, tmp_path: Path) -> None:
    plan = tmp_path / "plan.json"
    code, out, err = run(program, "-o", plan)
    assert (code, out) == (0, "")
    assert str(plan) in err
    assert json.loads(plan.read_text(encoding="utf-8"))["flinkVersion"] == "2.3"


def test_without_o_the_plan_is_the_output(program: Path) -> None:
    code, out, err = run(program)
    assert (code, err) == (0, "")
    assert {node["type"] for node in json.loads(out)["nodes"]} >= {"stream-exec-join_1", "stream-exec-sink_2"}


def test_set(program: Path) -> None:
    _, out, _ = run(program, "--set", "table.exec.state.ttl=7 h")
    assert '"ttl" : "7 h"' in out
    code, _, err = run(program, "--set", "table.exec.state.ttl=forever")
    assert code == 1 and "forever" in err
    code, _, err = run(program, "--set", "table.exec.state.tll=1 h", "-o", program.with_name("p.json"))
    assert code == 1 and "did you mean 'table.exec.state.ttl'?" in err
    assert run(program, "--set", "nonsense")[0] == 2


def test_a_file_that_is_no_plan_is_overwritten_only_with_force(program: Path, tmp_path: Path) -> None:
    plan = tmp_path / "plan.json"
    plan.write_text("mine", encoding="utf-8")
    code, _, err = run(program, "-o", plan)
    assert code == 1
    assert "which is not a readable plan" in err and "--force" in err
    assert plan.read_text(encoding="utf-8") == "mine"
    assert run(program, "-o", plan, "--if-not-exists")[0] == 0
    assert plan.read_text(encoding="utf-8") == "mine"
    code, _, err = run(program, "-o", plan, "--force")
    assert code == 0 and "uids and TTLs of the old" in err
    assert plan.read_text(encoding="utf-8") != "mine"
    assert run(program, "-o", plan, "--force", "--if-not-exists")[0] == 2


def test_overwriting_a_plan_keeps_its_uids(program: Path, tmp_path: Path) -> None:
    plan = tmp_path / "plan.json"
    text = PROGRAM.replace("ON o.id = s.id", "ON o.id = s.id WHERE s.day_ <> 'x'")
    program.write_text(text, encoding="utf-8")
    assert run(program, "-o", plan)[0] == 0
    (uid,) = re.findall(r'"uid" : "([^"]+)"', plan.read_text(encoding="utf-8"))
    plan.write_text(plan.read_text(encoding="utf-8").replace(uid, "by-hand"), encoding="utf-8")
    code, _, err = run(program, "-o", plan)
    assert (code, "by-hand" in plan.read_text(encoding="utf-8"), "by-hand" in err) == (0, True, False)
    assert "no difference" in err
    program.write_text(text.replace("WHERE", "WHERE item > 'a' AND"), encoding="utf-8")
    code, out, err = run(program, "-o", plan, "--force")
    assert (code, out, "by-hand" in plan.read_text(encoding="utf-8")) == (0, "", True)
    assert "by-hand" in err and "changed" in err


def test_the_schema_of_the_old_plan_is_kept_except_for_flink(program: Path, tmp_path: Path) -> None:
    plan = tmp_path / "plan.json"
    assert run(program, "-o", plan)[0] == 0
    text = plan.read_text(encoding="utf-8")
    named = text.replace("{\n", '{\n  "$schema" : "plan.schema.json",\n', 1)
    plan.write_text(named, encoding="utf-8")
    assert run(program, "-o", plan)[0] == 0
    assert plan.read_text(encoding="utf-8") == named
    assert run(program, "-o", plan, "--for", "flink")[0] == 0
    assert plan.read_text(encoding="utf-8") == text
    assert run(program, "--for", "spark")[0] == 2


def test_a_plan_is_not_overwritten_if_state_is_lost(program: Path, tmp_path: Path) -> None:
    plan = tmp_path / "plan.json"
    assert run(program, "-o", plan)[0] == 0
    before = plan.read_text(encoding="utf-8")
    # The join keeps past rows that the filter drops.
    program.write_text(PROGRAM.replace("ON o.id = s.id", "ON o.id = s.id AND o.item > 'a'"), encoding="utf-8")
    for option in ((), ("-q",)):
        code, out, err = run(program, "-o", plan, *option)
        assert (code, out) == (1, "")
        assert "nothing was written" in err and "--force" in err
        assert ("operators with state" in err) == (not option)
        assert plan.read_text(encoding="utf-8") == before
    code, _, err = run(program, "-o", plan, "--force")
    assert code == 0 and "execute-plan" in err and plan.read_text(encoding="utf-8") != before


def test_a_plan_is_overwritten_if_no_state_is_lost(program: Path, tmp_path: Path) -> None:
    plan = tmp_path / "plan.json"
    assert run(program, "-o", plan)[0] == 0
    code, _, err = run(program, "-o", plan, "--set", "table.exec.state.ttl=7 h")
    assert code == 0 and '"ttl" : "7 h"' in plan.read_text(encoding="utf-8")
    assert "TTL of leftState: 0 ms (never expires) -> 7 h" in err and "fully compatible" in err


def test_edited_ttls_are_kept_and_no_others(program: Path, tmp_path: Path) -> None:
    plan = tmp_path / "plan.json"
    assert run(program, "-o", plan, "--set", "table.exec.state.ttl=1 h")[0] == 0
    left, *_ = [at for at, line in enumerate(plan.read_text().splitlines()) if '"ttl" : "1 h"' in line]
    lines = plan.read_text().splitlines()
    lines[left] = lines[left].replace("1 h", "PT3S")
    plan.write_text("\n".join(lines))
    code, _, err = run(program, "-o", plan, "--set", "table.exec.state.ttl=2 h")
    assert code == 0
    assert "leftState: PT3S is kept as edited, though the program went from 1 h to 2 h" in err
    ttls = {entry["name"]: entry["ttl"] for entry in join_of(plan)["state"]}
    assert ttls == {"leftState": "PT3S", "rightState": "2 h"}
    assert join_of(plan)["ttlAsCompiled"] == {"leftState": "2 h", "rightState": "2 h"}
    code, _, err = run(program, "-o", plan, "--set", "table.exec.state.ttl=2 h", "--program-ttls")
    assert code == 0 and "kept as edited" not in err
    assert {entry["ttl"] for entry in join_of(plan)["state"]} == {"2 h"}


def join_of(plan: Path) -> dict[str, Any]:
    nodes = json.loads(plan.read_text(encoding="utf-8"))["nodes"]
    return next(node for node in nodes if node["type"] == "stream-exec-join_1")


def test_compile_plan_in_the_program_names_the_file(program: Path, tmp_path: Path) -> None:
    plan = tmp_path / "named.json"
    program.write_text(PROGRAM.replace("INSERT INTO", f"COMPILE PLAN '{plan}' FOR INSERT INTO"), encoding="utf-8")
    assert run(program)[0] == 0
    assert plan.exists()
    second_file = tmp_path / "other.json"
    assert run(program, "-o", second_file)[0] == 0
    assert second_file.exists()


def test_the_file_of_a_statement_is_kept_as_in_flink(program: Path, tmp_path: Path) -> None:
    """Even if nothing differs; an option of Flink's, or --force, overwrites it."""
    plan = tmp_path / "named.json"
    program.write_text(PROGRAM.replace("INSERT INTO", f"COMPILE PLAN '{plan}' FOR INSERT INTO"), encoding="utf-8")
    assert run(program)[0] == 0
    uid = str(join_of(plan)["uid"])
    plan.write_text(plan.read_text().replace(uid, "by-hand"))
    code, _, err = run(program)
    assert code == 1 and "cannot overwrite the plan file" in err and "table.plan.force-recompile" in err
    assert run(program, "--set", "table.plan.force-recompile=true")[0] == 0
    assert join_of(plan)["uid"] == "by-hand"
    plan.write_text("mine")
    assert run(program, "--set", "table.plan.force-recompile=true")[0] == 0
    plan.write_text("mine")
    program.write_text(program.read_text().replace("' FOR INSERT", "' IF NOT EXISTS FOR INSERT"))
    code, _, err = run(program, "--set", "table.plan.force-recompile=true")
    assert code == 0 and plan.read_text() == "mine" and "nothing was written" in err


def test_a_refused_program_leaves_no_file(program: Path, tmp_path: Path) -> None:
    program.write_text(BROKEN, encoding="utf-8")
    plan = tmp_path / "plan.json"
    code, out, err = run(program, "-o", plan)
    assert (code, out) == (1, "")
    assert not plan.exists()
    assert "column 'itm' not found" in err and "did you mean 'item'?" in err
    assert "line 6, column 33" in err and "^^^" in err
    assert "Traceback" not in err


def test_a_missing_program(tmp_path: Path) -> None:
    code, _, err = run(tmp_path / "nope.sql")
    assert code == 1 and "no such program file" in err


def test_quiet(program: Path, tmp_path: Path) -> None:
    assert run(program, "-o", tmp_path / "plan.json", "-q") == (0, "", "")


def test_the_program_may_come_from_stdin() -> None:
    result = CliRunner().invoke(app, ["-"], input=PROGRAM)
    assert result.exit_code == 0
    assert "stream-exec-join_1" in result.stdout


HEAVY = ("pyspark", "py4j", "pandas", "pyarrow", "jsonschema", "numpy")


def test_compiling_imports_nothing_heavy_and_is_quick(program: Path) -> None:
    code = (
        "import sys\nfrom cli.compile_plan import app\n"
        f"try:\n    app([{str(program)!r}])\nexcept SystemExit:\n    pass\n"
        f"print([name for name in {HEAVY!r} if name in sys.modules], file=sys.stderr)"
    )
    ratio, result = times_the_reference((sys.executable, "-c", code))
    assert result.stderr.strip().endswith("[]")
    assert ratio < 9


def test_a_ttl_without_a_unit_gives_a_note_about_milliseconds(program: Path, tmp_path: Path) -> None:
    hint = "SELECT /*+ STATE_TTL('o' = '3600', 's' = '1 h') */"
    program.write_text(PROGRAM.replace("SELECT", hint), encoding="utf-8")
    code, _, err = run(program, "-o", tmp_path / "a.json", "--set", "table.exec.state.ttl=60")
    assert code == 0 and err.count("warning: ") == 2
    assert "warning: the option 'table.exec.state.ttl': 60 without a unit is 60 milliseconds" in err
    assert "warning: the hint STATE_TTL of 'o': 3600 without a unit is 3600 milliseconds" in err
    code, _, err = run(program, "-o", tmp_path / "b.json", "--set", "table.exec.state.ttl=60", "-q")
    assert code == 0 and err == ""
    code, _, err = run(program, "-o", tmp_path / "c.json", "--set", "table.exec.state.ttl=0")
    assert code == 0 and "table.exec.state.ttl" not in err


def test_a_dataframe_of_the_program_cannot_be_compiled_into_a_plan(tmp_path: Path) -> None:
    path = tmp_path / "program.py"
    path.write_text(
        "import pandas as pd\n\ndef main(env):\n"
        "    env.execute_sql(\"CREATE TABLE s (a BIGINT) WITH ('connector' = 'print')\")\n"
        '    return env.from_pandas(pd.DataFrame({"a": [1]})).insert_into("s")\n'
    )
    plan = tmp_path / "plan.json"
    code, _, err = run(path, "-o", plan)
    assert code == 1 and "reads a DataFrame of this program" in err
    assert not plan.exists()


SHARED, WRITES = PROGRAM.split("INSERT INTO")


@pytest.fixture
def shared(tmp_path: Path) -> Path:
    path = tmp_path / "shared.sql"
    path.write_text(f"SET 'table.exec.state.ttl' = '1 h';\n{SHARED}", encoding="utf-8")
    return path


def test_init_files_come_before_the_program(shared: Path, program: Path, tmp_path: Path) -> None:
    program.write_text(f"INSERT INTO{WRITES}", encoding="utf-8")
    second = tmp_path / "second.sql"
    second.write_text("CREATE DATABASE other; USE other; USE default_database;", encoding="utf-8")
    code, out, err = run(program, "--init", shared, "-i", second)
    assert (code, err) == (0, "") and '"ttl" : "1 h"' in out
    _, out, _ = run(program, "--init", shared, "--set", "table.exec.state.ttl=2 h")
    assert '"ttl" : "2 h"' in out
    program.write_text(f"SET 'table.exec.state.ttl' = '3 h'; INSERT INTO{WRITES}", encoding="utf-8")
    _, out, _ = run(program, "--init", shared, "--set", "table.exec.state.ttl=2 h")
    assert '"ttl" : "3 h"' in out


def test_init_files_prepare_the_session_of_a_program_in_python(shared: Path, tmp_path: Path) -> None:
    path = tmp_path / "of_shared_tables.py"
    path.write_text(f"def main(env):\n    return 'INSERT INTO' + {WRITES!r}\n")
    code, out, _ = run(path, "--init", shared)
    assert code == 0 and "stream-exec-join_1" in out


def test_an_error_in_an_init_file_names_it(shared: Path, program: Path, tmp_path: Path) -> None:
    shared.write_text("CREATE DATABASE d;\nSELECT 1", encoding="utf-8")
    code, _, err = run(program, "-o", tmp_path / "plan.json", "--init", shared)
    assert code == 1 and f"at: '{shared}', line 2, column 1" in err and "program.sql" not in err
    assert not (tmp_path / "plan.json").exists()
    code, _, err = run(program, "--init", tmp_path / "nope.sql")
    assert code == 1 and "no such program file" in err and "program.sql" not in err
    for wrong in ("-", "x.py"):
        assert run(program, "--init", wrong)[0] == 2


def test_every_command_reports_a_plan_that_does_not_run_here(tmp_path: Path) -> None:
    """Flink writes the timestamp of Kafka messages; Spark's connector does not."""
    program, plan = tmp_path / "program.sql", tmp_path / "plan.json"
    options = "'connector' = 'kafka', 'topic' = 'x', 'properties.bootstrap.servers' = 'h:1', 'format' = 'json'"
    program.write_text(
        "CREATE TABLE t (a INT) WITH ('connector' = 'datagen', 'number-of-rows' = '1');"
        f"CREATE TABLE k (a INT, ts TIMESTAMP_LTZ(3) METADATA FROM 'timestamp') WITH ({options});"
        "INSERT INTO k SELECT a, TO_TIMESTAMP_LTZ(a, 3) FROM t;"
    )
    message = "does not write the metadata 'timestamp'"
    compiled = called("compile_plan", program, "-o", plan)
    assert (compiled.returncode, message in compiled.stderr) == (0, True)
    checked = called("edit_plan", "--check", plan)
    assert (checked.returncode, message in checked.stdout) == (1, True)
    for more in ([], ["--dry-run"]):
        started = called("execute_plan", *more, plan)
        assert (started.returncode, message in started.stderr) == (1, True)
    assert called("edit_plan", plan).returncode == 0
