"""`diff-plan` as a user calls it."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from uuid import uuid4

import fsspec
import jsonschema
import pytest
from typer.testing import CliRunner

from compiled_plan import schemas
from compiled_plan.cli.comparing import comparison
from compiled_plan.cli.diff_plan import app
from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.inspection.diff.model import PlanDiff
from compiled_plan.plans.inspection.judging.verdicts import Verdict
from tests.conformance.cases import Case, cases
from tests.plans.inspection.diff.samples import BROKEN, SAME, everything
from tests.support.checkpoints import checkpoint
from tests.support.quickness import times_the_reference

PROGRAM = """
CREATE TABLE orders (id INT, customer STRING, amount BIGINT)
  WITH ('connector' = 'filesystem', 'path' = '/o', 'format' = 'json');
CREATE TABLE totals (customer STRING PRIMARY KEY NOT ENFORCED, total BIGINT) WITH ('connector' = 'blackhole');
INSERT INTO totals SELECT customer, SUM(amount) FROM orders GROUP BY customer;
"""
#: Another grouping column of the same type in the same sink column.
OTHER_KEY = PROGRAM.replace("customer STRING, amount", "customer STRING, city STRING, amount").replace(
    "SELECT customer, SUM(amount) FROM orders GROUP BY customer", "SELECT city, SUM(amount) FROM orders GROUP BY city"
)
WIDE = PROGRAM.replace("customer STRING, amount", "customer STRING, city STRING, amount")
UID = re.compile(r"group-aggregate-orders-[0-9a-f]{10}")


def run(*arguments: str | Path, stdin: str = "") -> tuple[int, str, str]:
    result = CliRunner().invoke(app, [str(argument) for argument in arguments], input=stdin)
    return result.exit_code, result.stdout, result.stderr


def plan_of(text: str) -> str:
    return TableEnvironment().compile_script(text).to_json()


@pytest.fixture
def plans(tmp_path: Path) -> Path:
    """A folder with plans and programs."""
    for name, text in {"old": PROGRAM, "wide": WIDE, "other": OTHER_KEY}.items():
        (tmp_path / f"{name}.sql").write_text(text, encoding="utf-8")
        (tmp_path / f"{name}.json").write_text(plan_of(text), encoding="utf-8")
    return tmp_path


# ------------------------------------------------------------ inputs


def test_the_same_plan(plans: Path) -> None:
    code, out, err = run(plans / "old.json", plans / "old.json")
    assert (code, err) == (0, "")
    assert "no difference" in out and "1 operator kept" in out and "try:" not in out


def test_differences_have_both_values(plans: Path) -> None:
    code, out, err = run(plans / "wide.json", plans / "other.json")
    assert (code, err) == (0, "")
    assert "orders.customer" in out and "orders.city" in out
    assert f"execute-plan {plans / 'other.json'} --checkpoint DIR" in out


def test_an_edited_ttl(plans: Path) -> None:
    text = (plans / "old.json").read_text()
    (plans / "edited.json").write_text(text.replace('"ttl" : "0 ms"', '"ttl" : "3 h"'))
    code, out, _ = run(plans / "old.json", plans / "edited.json", "--detailed-exitcode")
    assert code == 2
    assert "TTL of groupAggregateState: 0 ms (never expires) -> 3 h" in out
    assert "fully compatible: of 1 operator with state 1 ttl changed" in out


@pytest.mark.parametrize("case", cases("aggregate", "state_ttl")[:8], ids=lambda case: case.name)
def test_a_plan_of_flink_against_ours(case: Case, tmp_path: Path) -> None:
    """No uids there: the operators are matched all the same."""
    if case.refused_at:
        pytest.skip("Flink has no plan for it")
    (tmp_path / "flink.json").write_text(case.flink_plan(tmp_path / "out"), encoding="utf-8")
    (tmp_path / "ours.sql").write_text(case.program(tmp_path / "out"), encoding="utf-8")
    code, out, _ = run(tmp_path / "flink.json", tmp_path / "ours.sql", "--detailed-exitcode")
    assert "no difference" in out and code == 0


def test_programs_are_compiled_first(plans: Path) -> None:
    assert "no difference" in run(plans / "old.sql", plans / "old.json")[1]
    assert "no difference" in run(plans / "old.json", plans / "old.sql")[1]
    assert "no difference" in run(plans / "old.json", "-", stdin=PROGRAM)[1]
    code, out, err = run(plans / "old.json", plans / "old.sql", "--set", "table.exec.state.ttl=2 h")
    assert (code, err) == (0, "") and "-> 2 h" in out


def test_a_program_keeps_the_uids_of_the_old_plan(plans: Path) -> None:
    text = UID.sub("mine", (plans / "old.json").read_text())
    (plans / "old.json").write_text(text)
    out = run(plans / "old.json", plans / "old.sql", "--all")[1]
    assert "mine, node" in out and not UID.search(out)


def test_a_program_in_python(plans: Path) -> None:
    (plans / "program.py").write_text(
        f"def main(env):\n    print('hello')\n    return env.compile_plan_sql({PROGRAM!r})\n", encoding="utf-8"
    )
    done = subprocess.run(
        [sys.executable, "-m", "compiled_plan.cli.diff_plan", plans / "old.json", plans / "program.py"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "hello\n")
    assert "no difference" in done.stdout and "hello" not in done.stdout


def test_checkpoints(plans: Path) -> None:
    """The plan of the last start counts."""
    old, wide = (plans / "old.json").read_text(), (plans / "wide.json").read_text()
    one, two = checkpoint(plans / "one", old, wide), checkpoint(plans / "two", wide)
    assert "no difference" in run(one, two)[1]
    assert "no difference" in run(one, plans / "wide.sql")[1]
    code, out, _ = run(one, plans / "other.json")
    assert code == 0 and f"--checkpoint {one}" in out


def test_a_checkpoint_of_other_tables_is_incompatible(plans: Path) -> None:
    old = (plans / "old.json").read_text()
    (plans / "elsewhere.json").write_text(old.replace("orders", "parcels").replace('"/o"', '"/p"'))
    code, out, _ = run(checkpoint(plans / "one", old), plans / "elsewhere.json", "--detailed-exitcode")
    assert code == 1
    assert "all that is read: orders -> parcels" in out
    assert "--checkpoint NEW_DIR" in out


def test_a_remote_plan_and_a_remote_checkpoint(plans: Path) -> None:
    memory, root = fsspec.filesystem("memory"), f"/{uuid4().hex}"
    memory.put(str(checkpoint(plans / "one", (plans / "old.json").read_text())), f"{root}/one", recursive=True)
    memory.pipe(f"{root}/old.json", (plans / "old.json").read_bytes())
    try:
        code, out, err = run(f"memory:/{root}/one", f"memory:/{root}/old.json")
        assert (code, err) == (0, "") and "no difference" in out
        code, _, err = run(f"memory:/{root}/two", plans / "old.json")
        assert code == 1 and "no such plan file" in err
    finally:
        memory.rm(root, recursive=True)


# ------------------------------------------------------------ refusals


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda path: None, "no such plan file"),
        (lambda path: path.write_text("{nonsense"), "not JSON"),
        (lambda path: path.write_text("[]"), "a plan must be an object"),
        (lambda path: path.write_text('{"flinkVersion": "new", "nodes": [], "edges": []}'), "not a version of Flink"),
        (lambda path: path.write_bytes(b"\xff\xfe"), "in UTF-16"),
        (lambda path: path.mkdir(), "holds no plan: nothing was started on it"),
    ],
)
def test_unreadable_inputs(make: object, message: str, plans: Path) -> None:
    path = plans / "bad"
    make(path)  # type: ignore[operator]
    for arguments in ((path, plans / "old.json"), (plans / "old.json", path)):
        code, out, err = run(*arguments, "--detailed-exitcode")
        assert (code, out) == (1, "")
        assert message in err and "bad" in err and "Traceback" not in err


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("compiled-plan/layout.json", "{}", "the form of an earlier release"),
        ("offsets/0", "v1", "of a query that execute-plan did not start"),
        ("heads/1", '{"format": 99, "product": "8.0"}', "of release 8.0"),
    ],
)
def test_foreign_checkpoints(name: str, text: str, message: str, plans: Path) -> None:
    path = plans / "bad" / name
    path.parent.mkdir(parents=True)
    path.write_text(text)
    code, out, err = run(plans / "bad", plans / "old.json")
    assert (code, out) == (1, "") and message in err and "try:" in err


def test_a_program_that_does_not_compile(plans: Path) -> None:
    (plans / "bad.sql").write_text(PROGRAM.replace("SUM(amount)", "SUM(amont)"))
    code, out, err = run(plans / "old.json", plans / "bad.sql")
    assert (code, out) == (1, "") and "bad.sql" in err and "amont" in err


def test_wrong_usage(plans: Path) -> None:
    same = (plans / "old.json", plans / "old.json")
    assert run(*same, "--json", "--markdown")[0] == 2
    assert run(*same, "--graph", "dot", "--markdown")[0] == 2
    assert run(*same, "--graph", "png")[0] == 2
    assert run(*same, "--for", "spark")[0] == 2
    assert run("-", "-")[0] == 2
    assert run(same[0])[0] == 2
    assert run(*same, "--set", "nonsense")[0] == 2


# ------------------------------------------------------------ output


def test_the_document_follows_its_schema(plans: Path) -> None:
    code, out, _ = run(plans / "wide.json", plans / "other.sql", "--json")
    document = json.loads(out)
    jsonschema.Draft202012Validator(schemas.load(schemas.DIFF)).validate(document)
    assert code == 0 and not document["same"]
    assert document["old"] == {"name": str(plans / "wide.json"), "kind": "plan", "refusals": []}
    assert document["new"]["kind"] == "program"


def test_markdown(plans: Path) -> None:
    code, out, _ = run(plans / "wide.json", plans / "other.json", "--markdown")
    assert code == 0
    assert out.startswith("### Plan: ") and "| operator | " in out and "```bash" in out


def test_the_bytes_of_a_checkpoint(plans: Path) -> None:
    """Of the program in force; an operator of unknown size has none."""
    old = (plans / "old.json").read_text()
    (uid,) = UID.findall(old)[:1]
    one, two = checkpoint(plans / "one", old), checkpoint(plans / "two", old)
    (one / "generations/1/compiled-plan/state-rows.json").write_text(json.dumps({uid: {"rows": 9, "bytes": 1_234}}))
    out = run(one, plans / "other.json", "--markdown")[1]
    assert "| kept | lost | bytes | what to do |" in out and "| 1,234 |" in out
    assert f"(was {uid}), node 3, 1,234 bytes" in run(one, plans / "other.json")[1]
    document = json.loads(run(one, plans / "other.json", "--json")[1])
    assert document["operators"][0]["stateBytes"] == 1_234
    out = run(two, plans / "other.json", "--markdown")[1]
    assert "| kept | lost | what to do |" in out
    assert "operator `SUM(amount) by customer, of orders`, 1,234 bytes" in run(one, plans / "old.json", "--markdown")[1]


@pytest.mark.parametrize(("form", "first"), [("mermaid", "flowchart"), ("dot", "digraph"), ("svg", "<svg")])
def test_a_drawing(form: str, first: str, plans: Path) -> None:
    code, out, err = run(plans / "wide.json", plans / "other.json", "--graph", form, "--detailed-exitcode")
    assert (code, err) == (1, "") and out.startswith(first) and "changed, incompatible" in out


@pytest.mark.parametrize(
    ("diff", "code"),
    [
        (SAME, 0),
        (everything(verdict=Verdict.FULL), 2),
        (everything(verdict=Verdict.PARTIAL), 2),
        (everything(verdict=Verdict.UNKNOWN), 1),
        (everything(BROKEN, verdict=Verdict.INCOMPATIBLE), 1),
    ],
)
def test_exit_codes(diff: PlanDiff, code: int, plans: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(comparison, "diff_of", lambda both: diff)
    two = (plans / "old.json", plans / "old.json")
    for form in ((), ("--json",), ("--markdown",)):
        assert run(*two, "--detailed-exitcode", *form)[0] == code
        assert run(*two, *form)[0] == 0


@pytest.mark.wide
def test_no_colour_in_pipes_and_with_no_color(plans: Path) -> None:
    command = [sys.executable, "-m", "compiled_plan.cli.diff_plan", plans / "wide.json", plans / "other.json"]
    plain = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "\x1b[" not in plain.stdout
    coloured = subprocess.run(command, capture_output=True, text=True, check=True, env={"FORCE_COLOR": "1"})
    assert "\x1b[" in coloured.stdout
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured.stdout) == plain.stdout
    none = {"FORCE_COLOR": "1", "NO_COLOR": "1"}
    assert "\x1b[3" not in subprocess.run(command, capture_output=True, text=True, check=True, env=none).stdout


LOOKUP = """
CREATE TABLE orders (id INT, customer STRING, amount BIGINT, p AS PROCTIME())
  WITH ('connector' = 'filesystem', 'path' = '/o', 'format' = 'json');
CREATE TABLE rates (customer STRING, rate BIGINT) WITH (
  'connector' = 'jdbc', 'url' = 'jdbc:postgresql://u:{word}@{host}/db', 'table-name' = 't',
  'username' = 'u', 'password' = '{word}');
CREATE TABLE totals (customer STRING PRIMARY KEY NOT ENFORCED, total BIGINT) WITH ('connector' = 'blackhole');
INSERT INTO totals SELECT o.customer, SUM(amount * rate) FROM orders AS o
  JOIN rates FOR SYSTEM_TIME AS OF o.p AS r ON o.customer = r.customer GROUP BY o.customer;
"""


def test_passwords_are_hidden(plans: Path) -> None:
    for name, word in (("one", "hush"), ("two", "psst")):
        (plans / f"{name}.sql").write_text(LOOKUP.format(word=word, host=name))
    for form in ((), ("--json",), ("--markdown",), ("--all",)):
        code, out, err = run(plans / "one.sql", plans / "two.sql", *form)
        assert code == 0 and "hush" not in out + err and "psst" not in out + err
        assert err.count("holds a secret in clear") == 4


# ------------------------------------------------------------ speed

#: A hundred nodes: joins and aggregates, each with its own sink.
BIG = "\n".join(
    [
        "CREATE TABLE t (a INT, b INT, c STRING, d BIGINT)"
        " WITH ('connector' = 'filesystem', 'path' = '/t', 'format' = 'json');",
        *(f"CREATE TABLE o{at} (a INT, s BIGINT) WITH ('connector' = 'blackhole');" for at in range(14)),
        "EXECUTE STATEMENT SET BEGIN",
        *(
            f"INSERT INTO o{at} SELECT t.a, SUM(t.d) FROM t JOIN t AS u ON t.a = u.b AND t.b > {at}"
            f" WHERE t.c <> 'x{at}' GROUP BY t.a;"
            for at in range(14)
        ),
        "END;",
    ]
)
HEAVY = ("pyspark", "py4j", "pandas", "pyarrow", "jsonschema", "numpy", "fsspec", "rich")


@pytest.mark.wide
@pytest.mark.slow
def test_plans_of_a_hundred_nodes_are_compared_quickly(tmp_path: Path) -> None:
    one, two = tmp_path / "one.json", tmp_path / "two.json"
    one.write_text(plan_of(BIG))
    two.write_text(plan_of(BIG.replace("SUM(t.d)", "SUM(t.d + 1)")))
    assert len(json.loads(one.read_text())["nodes"]) >= 100
    code = (
        "import sys\nfrom compiled_plan.cli.diff_plan import app\n"
        f"try:\n    app([{str(one)!r}, {str(two)!r}])\nexcept SystemExit:\n    pass\n"
        f"print([name for name in {HEAVY!r} if name in sys.modules], file=sys.stderr)"
    )
    ratio, result = times_the_reference((sys.executable, "-c", code))
    assert result.stderr.strip() == "[]"
    assert "14 changed" in result.stdout
    assert ratio < 10


def test_init_files_come_before_each_program(plans: Path) -> None:
    declared, insert = PROGRAM.split("INSERT INTO")
    (plans / "shared.sql").write_text(declared, encoding="utf-8")
    (plans / "insert.sql").write_text(f"INSERT INTO{insert}", encoding="utf-8")
    assert "no difference" in run(plans / "insert.sql", plans / "insert.sql", "--init", plans / "shared.sql")[1]
    assert "no difference" in run(plans / "old.json", plans / "insert.sql", "-i", plans / "shared.sql")[1]
    (plans / "shared.sql").write_text("SHOW TABLES", encoding="utf-8")
    code, _, err = run(plans / "old.json", plans / "insert.sql", "-i", plans / "shared.sql")
    assert code == 1 and f"at: '{plans / 'shared.sql'}', line 1, column 1" in err and "insert.sql" not in err


@pytest.mark.wide
def test_an_example_of_a_difference(shared_session: None, tmp_path: Path) -> None:
    (tmp_path / "old.sql").write_text(PROGRAM)
    (tmp_path / "new.sql").write_text(PROGRAM.replace("FROM orders GROUP", "FROM orders WHERE amount > 7 GROUP"))
    result = CliRunner().invoke(app, [str(tmp_path / "old.sql"), str(tmp_path / "new.sql"), "--example"])
    assert result.exit_code == 0, result.output
    assert f"upgrade: {{program: {tmp_path / 'new.sql'}, verdict: partially compatible}}" in result.output
    init = tmp_path / "init.sql"
    init.write_text("SET 'table.exec.state.ttl' = '1 h';")
    arguments = [str(tmp_path / name) for name in ("old.sql", "new.sql")]
    settings = ["--init", str(init), "--set", "pipeline.name=x"]
    result = CliRunner().invoke(app, [*arguments, "--example", *settings])
    assert f"init: [{init}]\nset: {{pipeline.name: x}}\nsteps:\n" in result.output
    result = CliRunner().invoke(app, [str(tmp_path / "old.sql"), str(tmp_path / "old.sql"), "--example"])
    assert re.search(r"^no difference in \d+ random inputs", result.output, re.MULTILINE), result.output
    document = json.loads(CliRunner().invoke(app, [*arguments, "--example", "--json"]).stdout)
    jsonschema.validate(document, schemas.load(schemas.DIFF))
    (example,) = document["examples"]["examples"]
    assert [part.partition("-")[0] for part in example["parts"]] == ["group", "sink totals"]
    result = CliRunner().invoke(app, [*arguments, "--example", "--markdown"])
    assert "<details><summary>example of group-aggregate" in result.output and f"```yaml\nprogram: {arguments[0]}" in (
        result.output
    )


def test_graphs_have_no_examples(plans: Path) -> None:
    result = CliRunner().invoke(app, [str(plans), str(plans), "--example", "--graph", "dot"])
    assert result.exit_code == 2 and "--example" in result.output


def test_an_example_names_files(plans: Path) -> None:
    result = CliRunner().invoke(app, [str(plans), "-", "--example"])
    assert result.exit_code == 2 and "--example" in result.output
