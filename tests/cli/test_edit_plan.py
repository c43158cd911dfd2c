from __future__ import annotations

import json
import re
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from compiled_plan.environment import TableEnvironment
from tests.support.commands import ROOT, called, process
from tests.support.plan_files import text_of

CASE = "join/state_ttl_hint_join"


edit_plan = partial(called, "edit_plan")


@pytest.fixture
def plan(tmp_path: Path) -> Path:
    path = tmp_path / "plan.json"
    path.write_text(text_of(CASE), encoding="utf-8")
    return path


@pytest.fixture
def node(plan: Path) -> int:
    return int(next(n["id"] for n in json.loads(plan.read_text())["nodes"] if n["type"] == "stream-exec-join_1"))


def test_shows_the_entries_one_a_line_in_a_pipe(plan: Path, node: int) -> None:
    done = edit_plan(str(plan))
    assert done.returncode == 0, done.stderr
    head, *rows = done.stdout.splitlines()
    assert head.split()[:3] == ["node", "entry", "ttl"]
    assert [row.split()[:2] for row in rows] == [[str(node), "leftState"], [str(node), "rightState"]]
    assert "\x1b" not in done.stdout and "─" not in done.stdout


def test_shows_them_as_json(plan: Path, node: int) -> None:
    document = json.loads(edit_plan(str(plan), "--json").stdout)
    assert [(line["node"], line["entry"], line["index"]) for line in document["state"]] == [
        (node, "leftState", 0),
        (node, "rightState", 1),
    ]


def test_sets_ttls_in_place(plan: Path, node: int) -> None:
    done = edit_plan(str(plan), "--ttl", f"{node}.leftState=3s", "--ttl", f"{node}.rightState=9000")
    assert done.returncode == 0, done.stderr
    join = next(n for n in json.loads(plan.read_text())["nodes"] if n["id"] == node)
    assert [entry["ttl"] for entry in join["state"]] == ["3 s", "9 s"]
    assert done.stdout == ""
    assert "leftState: " in done.stderr and "-> 3 s" in done.stderr


def test_writes_elsewhere(plan: Path, node: int) -> None:
    out = plan.with_name("out.json")
    assert edit_plan(str(plan), "--ttl", f"{node}.leftState=3s", "-o", str(out), "--quiet").returncode == 0
    assert plan.read_text(encoding="utf-8") == text_of(CASE)
    assert '"3 s"' in out.read_text(encoding="utf-8")


def test_writes_a_plan_for_flink(plan: Path, node: int) -> None:
    """Only `$schema` goes, and the edited duration."""
    text = text_of(CASE)
    out = plan.with_name("out.json")
    plan.write_text(text.replace("{", '{ "$schema" :\t"s.json", ', 1), encoding="utf-8")
    done = edit_plan(str(plan), "--for", "flink", "-o", str(out))
    assert (done.returncode, done.stderr) == (0, f"{out} is written\n")
    expected = re.sub(r"^\{\s*", "{ ", text)
    assert re.sub(r"^\{\s*", "{ ", out.read_text(encoding="utf-8")) == expected
    assert edit_plan(str(plan), "--for", "flink", "--ttl", f"{node}.leftState=3s").returncode == 0
    assert "$schema" not in plan.read_text(encoding="utf-8") and '"3 s"' in plan.read_text(encoding="utf-8")
    plan.write_text("[]", encoding="utf-8")
    assert edit_plan(str(plan), "--for", "flink").returncode == 1 and plan.read_text(encoding="utf-8") == "[]"


@pytest.mark.parametrize(
    ("form", "first"), [("mermaid", "flowchart LR"), ("dot", "digraph plan {"), ("svg", "<svg xmlns=")]
)
def test_draws(plan: Path, form: str, first: str) -> None:
    done = edit_plan(str(plan), "--graph", form)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(first) and "leftState: " in done.stdout


def test_a_bad_edit_changes_nothing(plan: Path, node: int) -> None:
    done = edit_plan(str(plan), "--ttl", f"{node}.rightState=3s", "--ttl", f"{node}.leftSate=3s")
    assert done.returncode == 1
    assert "did you mean `leftState`?" in done.stderr
    assert "Traceback" not in done.stderr
    assert plan.read_text(encoding="utf-8") == text_of(CASE)


def test_checks(plan: Path) -> None:
    good = edit_plan("--check", str(plan))
    assert (good.returncode, good.stdout) == (0, "")
    text = plan.read_text(encoding="utf-8").replace('"leftState"', '"leftSate"')
    plan.write_text(text, encoding="utf-8")
    bad = edit_plan(str(plan), "--check")
    assert bad.returncode == 1
    assert "/state/0/name" in bad.stdout and "did you mean `leftState`?" in bad.stdout
    machine = json.loads(edit_plan(str(plan), "--check", "--json").stdout)
    assert machine["valid"] is False
    assert machine["findings"][0]["value"] == "leftSate"


def test_a_checked_edit_is_one_json_document(plan: Path, node: int) -> None:
    for edit in (("--ttl", f"{node}.rightState=3s"), ("--for", "flink")):
        document = json.loads(edit_plan(str(plan), *edit, "--check", "--json").stdout)
        assert document["valid"] is True and document["findings"] == []
        assert [change["new"] for change in document["changes"]] == (["3 s"] if edit[0] == "--ttl" else [])


def test_a_checked_edit_of_a_wrong_plan_reports_its_errors(plan: Path) -> None:
    plan.write_text('{"nodes": 5}', encoding="utf-8")
    done = edit_plan(str(plan), "--for", "flink", "--check", "--json")
    document = json.loads(done.stdout)
    assert done.returncode == 1 and document["valid"] is False
    assert "`nodes` must be a list, not 5" in [finding["message"] for finding in document["findings"]]


def test_wrong_usage(plan: Path) -> None:
    assert edit_plan().returncode == 2
    assert process("edit_plan", plan, "--nonsense").returncode == 2
    assert edit_plan(str(plan), "-o", "x.json").returncode == 2


def test_a_traceback_with_debug_only(tmp_path: Path) -> None:
    missing = str(tmp_path / "none.json")
    plain, debug = (process("edit_plan", missing, *more) for more in ((), ("--debug",)))
    assert plain.returncode == debug.returncode == 1
    assert "no such plan file" in plain.stderr
    assert "Traceback" not in plain.stderr
    assert "Traceback" in debug.stderr


def test_imports_nothing_heavy(plan: Path) -> None:
    code = (
        "import sys\nfrom compiled_plan.cli.edit_plan import app\n"
        f"try:\n    app(['{plan}', '--quiet'])\nexcept SystemExit:\n    pass\n"
        "print([m for m in ('pyspark', 'pandas', 'jsonschema', 'fsspec') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.stdout.strip() == "[]", done.stderr


def test_a_ttl_without_a_unit_is_milliseconds_and_gives_a_note(plan: Path, node: int, tmp_path: Path) -> None:
    done = edit_plan(str(plan), "--ttl", f"{node}.leftState=3600", "--ttl", f"{node}.rightState=0")
    assert done.returncode == 0 and "leftState: 3600 without a unit is 3600 milliseconds" in done.stderr
    assert "rightState: 0" not in done.stderr
    plan.write_text(plan.read_text().replace('"3600 ms"', '"3600"'))
    checked = edit_plan("--check", str(plan))
    assert checked.returncode == 0, checked.stdout
    assert "warning: the TTL of 'leftState': 3600 without a unit is 3600 milliseconds" in checked.stdout
    assert "3600 (milliseconds)" in edit_plan(str(plan)).stdout
    for more, said in (([], 1), (["-q"], 0)):
        dry = called("execute_plan", "--dry-run", plan, *more)
        assert dry.returncode == 0 and dry.stderr.count("3600 without a unit is 3600 milliseconds") == said


def window_plan(folder: Path) -> Path:
    program = folder / "window.sql"
    program.write_text(
        "CREATE TABLE bid (price BIGINT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH "
        "('connector' = 'filesystem', 'path' = '/bid', 'format' = 'json');"
        "CREATE TABLE o (a TIMESTAMP(3), c BIGINT) WITH ('connector' = 'print');"
        "INSERT INTO o SELECT window_start, SUM(price) FROM TABLE(TUMBLE(TABLE bid, DESCRIPTOR(ts), "
        "INTERVAL '1' MINUTE)) GROUP BY window_start, window_end"
    )
    path = folder / "window.json"
    assert called("compile_plan", program, "-o", path).returncode == 0
    return path


def test_a_node_without_state_entries_is_explained(tmp_path: Path) -> None:
    path = window_plan(tmp_path)
    text = path.read_text()
    descriptions = {
        "stream-exec-global-window-aggregate_1": "end windows",
        "stream-exec-local-window-aggregate_1": "end windows",
        "stream-exec-calc_1": "it keeps no state",
        "stream-exec-sink_2": "keeps no state",
    }
    for node in json.loads(text)["nodes"]:
        if node["type"] not in descriptions:
            continue
        done = edit_plan(str(path), "--ttl", f"{node['id']}.state=1 h")
        assert done.returncode == 1 and descriptions[node["type"]] in done.stderr, done.stderr
        assert "sink" not in node["type"] or "watermark" not in done.stderr
        if "sink" in node["type"]:
            continue
        plan = json.loads(text)
        next(n for n in plan["nodes"] if n["id"] == node["id"])["state"] = [{"index": 0, "ttl": "1 h", "name": "s"}]
        (tmp_path / "edited.json").write_text(json.dumps(plan))
        checked = edit_plan("--check", str(tmp_path / "edited.json"))
        assert checked.returncode == 1 and f"{node['type']} has no `state`: " in checked.stdout
        assert descriptions[node["type"]] in checked.stdout and "remove it" in checked.stdout


@pytest.mark.wide
@pytest.mark.slow
@pytest.mark.parametrize(
    ("depth", "code", "expected"), [(400, 0, "0 errors"), (5_000, 0, "0 errors"), (200_000, 1, "nested too deep")]
)
def test_expressions_of_any_depth(plan: Path, depth: int, code: int, expected: str) -> None:
    """Flink writes a list of hundreds of alternatives as nested ORs."""
    data = json.loads(text_of("calc/calc_on_retract_source"))
    calc = next(node for node in data["nodes"] if node["type"] == "stream-exec-calc_1")
    condition, calc["condition"] = json.dumps(calc["condition"]), "..."
    head = '{"kind": "CALL", "syntax": "PREFIX", "internalName": "$NOT$1", "operands": ['
    deep = head * depth + condition + '], "type": "BOOLEAN"}' * depth
    plan.write_text(json.dumps(data).replace('"..."', deep))
    done = process("edit_plan", "--check", plan)
    assert done.returncode == code, done.stderr
    assert expected in done.stdout + done.stderr
    assert "internal error" not in done.stderr


def test_an_edited_ttl_is_shown_with_its_compiled_value(tmp_path: Path) -> None:
    program = (
        "CREATE TABLE t (k INT) WITH ('connector' = 'datagen'); CREATE TABLE s (k INT, n BIGINT) "
        "WITH ('connector' = 'blackhole'); INSERT INTO s SELECT k, COUNT(*) FROM t GROUP BY k;"
    )
    path = tmp_path / "plan.json"
    path.write_text(TableEnvironment().compile_script(program).to_json(), encoding="utf-8")
    (entry,) = json.loads(edit_plan(str(path), "--json").stdout)["state"]
    assert (entry["ttl"], entry["compiled"]) == ("0 ms", "")
    path.write_text(path.read_text().replace('"ttl" : "0 ms"', '"ttl" : "PT3S"'), encoding="utf-8")
    (entry,) = json.loads(edit_plan(str(path), "--json").stdout)["state"]
    assert (entry["ttl"], entry["compiled"]) == ("PT3S", "0 ms")
    assert "PT3S, compiled: 0 ms" in edit_plan(str(path)).stdout
