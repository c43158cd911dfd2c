"""`review-plans` on a temporary git repository."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path

import pytest
from markdown_it import MarkdownIt
from typer.testing import CliRunner

from compiled_plan.cli.comparing.comparison import Comparison
from compiled_plan.cli.comparing.sides import ComparedSide
from compiled_plan.cli.review import running
from compiled_plan.cli.review_plans import app
from compiled_plan.environment import TableEnvironment
from tests.support.checkpoints import checkpoint
from tests.support.tiers import but_wide

pytestmark = pytest.mark.slow

TABLES = """
CREATE TABLE orders (id INT, customer STRING, city STRING, amount BIGINT) WITH (
  'connector' = 'filesystem', 'path' = '/o', 'format' = 'json');
CREATE TABLE totals (customer STRING PRIMARY KEY NOT ENFORCED, total BIGINT) WITH ('connector' = 'blackhole');
"""
INSERT = "INSERT INTO totals SELECT customer, SUM(amount) FROM orders GROUP BY customer;\n"
#: A changed program per kind of result.
CHANGES = {
    "compatible": INSERT.replace("SUM(amount)", "SUM(CAST(amount AS BIGINT))").replace("FROM", "\nFROM"),
    "partial": INSERT.replace("SUM(amount)", "SUM(amount) + MAX(id)"),
    "incompatible": INSERT.replace("customer, SUM", "city, SUM").replace("BY customer", "BY city"),
    "broken": INSERT.replace("amount", "amuont"),
}

Write = Callable[[Mapping[str, str | None]], None]


def git(folder: Path, *arguments: str) -> str:
    command = ["git", "-c", "user.name=n", "-c", "user.email=n@example.org", "-C", str(folder), *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


@cache
def plan_of(program: str) -> str:
    return TableEnvironment().compile_script(TABLES + program).to_json()


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with a program and its plan for each change, one program to delete and one to leave as it is."""
    root = tmp_path / "repository"
    (root / "jobs").mkdir(parents=True)
    git(tmp_path, "init", "--quiet", "--initial-branch=main", str(root))
    (root / "tables.sql").write_text(TABLES)
    plan = plan_of(INSERT)
    for name in (*CHANGES, "deleted", "same"):
        (root / f"jobs/{name}.sql").write_text(INSERT)
        (root / f"jobs/{name}.json").write_text(plan)
    git(root, "add", ".")
    git(root, "commit", "--quiet", "--message=first")
    monkeypatch.chdir(root)
    return root


def change(root: Path, files: Mapping[str, str | None]) -> None:
    """Write files, and delete those without a text."""
    for name, text in files.items():
        if text is None:
            (root / name).unlink()
        else:
            (root / name).write_text(text)


def review(*arguments: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, ["-i", "tables.sql", *arguments])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.exit_code, result.stdout, result.stderr


def sections(comment: str) -> dict[str, str]:
    """The section of each program by its name."""
    parts = re.split(r"^### `([^`]+)`: ", comment, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def test_every_kind_of_change(repository: Path) -> None:
    change(repository, {f"jobs/{name}.sql": text for name, text in CHANGES.items()})
    change(repository, {"jobs/deleted.sql": None, "jobs/deleted.json": None, "jobs/added.sql": INSERT})
    code, comment, stderr = review()
    assert (code, stderr) == (1, "")
    assert comment.splitlines()[0] == (
        "## Plans: invalid: of 6 programs 1 invalid, 1 incompatible, 1 partially compatible, "
        "1 new, 1 deleted, 1 no difference"
    )
    parts = sections(comment)
    # The worst first; an unchanged plan needs no section.
    assert list(parts) == [f"jobs/{name}.sql" for name in ("broken", "incompatible", "partial", "added", "deleted")]
    assert "jobs/same.sql" not in comment and "- `jobs/compatible.sql`" in comment
    broken = parts["jobs/broken.sql"]
    assert broken.startswith("invalid\n\n```text\ncolumn 'amuont' not found in any table\n  at: line 1")
    rows = {
        name: next(line for line in parts[f"jobs/{name}.sql"].splitlines() if line.startswith("| `SUM")).split(" | ")
        for name in ("incompatible", "partial", "added")
    }
    assert rows["incompatible"][1:4] == [
        "changed, incompatible<br>key: `orders.customer` → `orders.city`",
        "nothing",
        "all: state is stored under the old key, and not found under the new one",
    ]
    assert rows["incompatible"][4].startswith("`--reset group-aggregate-orders-")
    assert rows["partial"][2] == "all else" and rows["partial"][3].startswith("MAX(orders.id) starts empty")
    assert rows["partial"][4].startswith("`--upgrade migrate-partial` accepts it")
    assert rows["added"][1:] == ["groupAggregateState", "never expires |"]
    assert "the state of 1 operator is not used any more" in parts["jobs/deleted.sql"].splitlines()[0]
    for name in ("incompatible", "partial", "added"):
        assert "```mermaid\nflowchart LR\n" in parts[f"jobs/{name}.sql"]


@pytest.mark.parametrize(
    ("name", "limit", "code"),
    but_wide(
        [
            ("compatible", "partial", 0),
            ("partial", "incompatible", 0),
            ("partial", "partial", 1),
            ("incompatible", "incompatible", 1),
            ("incompatible", "never", 0),
            ("broken", "never", 1),
        ],
        lambda case: case[0] == "partial",
    ),
)
def test_the_verdict_from_which_on_it_fails(repository: Path, name: str, limit: str, code: int) -> None:
    change(repository, {f"jobs/{name}.sql": CHANGES[name]})
    assert review("--fail-on", limit)[0] == code


def test_nothing_changed(repository: Path) -> None:
    assert review() == (0, "## Plans: no changed program\n\n", "")
    code, comment, _ = review("--all")
    assert code == 0 and comment.startswith("## Plans: no difference: of 6 programs 6 no difference\n")


def test_a_plan_that_is_not_of_its_program(repository: Path) -> None:
    """The plan file counts once it is compiled again; an edited TTL is part of it."""
    change(repository, {"jobs/partial.sql": CHANGES["partial"]})
    code, comment, _ = review("--check-plans", "--set", "pipeline.name=n")
    assert code == 1
    command = "compile-plan --init tables.sql --set pipeline.name=n jobs/partial.sql -o jobs/partial.json"
    assert f"is not the plan of this program: `{command}`" in comment
    text = (repository / "jobs/partial.json").read_text().replace('"ttl" : "0 ms"', '"ttl" : "2 h"')
    change(repository, {"jobs/partial.sql": INSERT, "jobs/partial.json": text})
    code, comment, _ = review("--check-plans")
    assert code == 0 and "is not the plan" not in comment
    assert "TTL of `groupAggregateState`: 0 ms (never expires) → 2 h" in comment


def test_committed_changes_since_a_branch_and_renamed_programs(repository: Path) -> None:
    git(repository, "checkout", "--quiet", "-b", "work")
    for kind in ("sql", "json"):
        git(repository, "mv", f"jobs/same.{kind}", f"jobs/renamed.{kind}")
    change(repository, {"jobs/partial.sql": CHANGES["partial"]})
    git(repository, "commit", "--quiet", "--all", "--message=second")
    # A later commit to main is no change of the branch.
    git(repository, "checkout", "--quiet", "main")
    change(repository, {"jobs/incompatible.sql": CHANGES["incompatible"]})
    git(repository, "commit", "--quiet", "--all", "--message=third")
    git(repository, "checkout", "--quiet", "work")
    assert review()[1] == "## Plans: no changed program\n\n"
    code, comment, _ = review("--base", "main")
    assert code == 0
    assert comment.startswith("## Plans: partially compatible: of 2 programs 1 partially compatible, 1 no difference\n")
    assert "- `jobs/renamed.sql`" in comment


@pytest.mark.wide
def test_before_the_first_commit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    git(tmp_path, "init", "--quiet")
    monkeypatch.chdir(tmp_path)
    change(tmp_path, {"tables.sql": TABLES, "job.sql": INSERT, "job.json": plan_of(INSERT)})
    git(tmp_path, "add", "job.json")
    code, comment, stderr = review()
    assert (code, stderr) == (0, "") and comment.startswith("## Plans: new\n")


@pytest.mark.wide
def test_a_program_renamed_without_its_plan(repository: Path) -> None:
    git(repository, "mv", "jobs/same.sql", "jobs/renamed.sql")
    code, comment, _ = review()
    remark = "the plan file `jobs/same.json` is no longer that of a program"
    assert code == 0 and f"| `jobs/renamed.sql` | no difference | {remark} |" in comment


@pytest.mark.wide
def test_shared_declarations_concern_all_programs(repository: Path) -> None:
    change(repository, {"tables.sql": TABLES.replace("'path' = '/o'", "'path' = '/p'")})
    comment = review()[1]
    assert re.match(r"## Plans: \w+ ?\w*: of 6 programs 6 ", comment)


@pytest.mark.wide
def test_a_plan_without_a_program(repository: Path) -> None:
    change(repository, {"flink.json": plan_of(INSERT), "other.json": '{"a": 1}'})
    git(repository, "add", ".")
    git(repository, "commit", "--quiet", "--message=plan")
    change(repository, {"flink.json": plan_of(CHANGES["incompatible"]), "other.json": '{"a": 2}'})
    code, comment, _ = review()
    assert code == 1 and list(sections(comment)) == ["flink.json"]
    change(repository, {"flink.json": '{"flinkVersion": "2.3", "nodes": 1}'})
    code, comment, _ = review()
    assert code == 1 and "lacks the field `edges`" in sections(comment)["flink.json"]


@pytest.mark.wide
def test_a_new_and_a_deleted_plan_without_a_program(repository: Path) -> None:
    change(repository, {"old.json": plan_of(INSERT)})
    git(repository, "add", ".")
    git(repository, "commit", "--quiet", "--message=plan")
    # A new program has no old plan.
    change(repository, {"old.json": None, "new.json": plan_of(CHANGES["partial"]), "jobs/added.sql": INSERT})
    comment = review()[1]
    assert {name: text.partition(":")[0] for name, text in sections(comment).items()} == {
        "jobs/added.sql": "new",
        "new.json": "new",
        "old.json": "deleted",
    }


@pytest.mark.wide
def test_a_program_deleted_with_a_plan_that_cannot_be_read(repository: Path) -> None:
    change(repository, {"jobs/same.json": '{"flinkVersion": "2.3"}', "alone.json": '{"flinkVersion": "2.3"}'})
    git(repository, "add", ".")
    git(repository, "commit", "--quiet", "--message=broken")
    change(repository, {"jobs/same.json": None, "jobs/same.sql": None, "alone.json": None})
    code, comment, _ = review()
    assert code == 0 and comment.startswith("## Plans: deleted")
    assert comment.count("| deleted | the committed plan cannot be read: ") == 2


@pytest.mark.wide
def test_a_plan_deleted_beside_its_program(repository: Path) -> None:
    change(repository, {"jobs/same.json": None})
    code, comment, _ = review()
    assert code == 0 and "| `jobs/same.sql` | no difference | the plan file `jobs/same.json` was deleted |" in comment


@pytest.mark.parametrize(
    "text",
    [
        "CREATE TABLE t (a INT COMMENT 'time of the insert') WITH ('connector' = 'datagen');",
        "/* INSERT INTO t SELECT 1; COMPILE PLAN 'jobs/same.json' */ CREATE VIEW v AS SELECT 1;",
        "-- INSERT\nCREATE TABLE t (`insert` INT, b STRING COMMENT 'table as select') WITH ('connector' = 'x');",
    ],
)
def test_declarations_are_no_program(text: str, repository: Path) -> None:
    change(repository, {"shared.sql": text})
    assert review() == (0, "## Plans: no changed program\n\n", "")


@pytest.mark.wide
def test_plans_elsewhere(repository: Path) -> None:
    (repository / "plans").mkdir()
    stated = "COMPILE PLAN 'plans/stated.json' FOR " + INSERT
    files = {
        "plans/one.json": plan_of(INSERT),
        "one.sql": INSERT,
        "stated.sql": stated,
        "plans/stated.json": plan_of(INSERT),
    }
    change(repository, files)
    git(repository, "add", ".")
    git(repository, "commit", "--quiet", "--message=plans")
    change(
        repository,
        {"one.sql": CHANGES["partial"], "stated.sql": stated.replace("SUM(amount)", "SUM(amount) + MAX(id)")},
    )
    comment = review("--plan", "plans/{name}.json")[1]
    assert {name: text.partition(":")[0] for name, text in sections(comment).items()} == {
        "one.sql": "partially compatible",
        "stated.sql": "partially compatible",
    }


@pytest.mark.parametrize("named", ["jobs/partial.sql", pytest.param("jobs/partial.json", marks=pytest.mark.wide)])
def test_a_checkpoint_with_the_bytes_of_its_state(repository: Path, tmp_path: Path, named: str) -> None:
    plan = plan_of(INSERT)
    (uid,) = re.findall(r'"uid" : "([^"]+)"', plan)
    folder = checkpoint(tmp_path / "checkpoint", plan)
    figures = {uid: {"rows": 30, "bytes": 12_345}}
    (folder / "generations/1/compiled-plan/state-rows.json").write_text(json.dumps(figures))
    change(repository, {"jobs/partial.sql": CHANGES["partial"]})
    comment = review("--checkpoint", f"{named}={folder}")[1]
    head, _, row = [line.split(" | ") for line in comment.splitlines() if line.startswith("| ")][3:6]
    assert head[4] == "bytes" and row[4] == "12,345"


@pytest.mark.wide
def test_programs_in_python_do_not_meet(repository: Path) -> None:
    """Modules of the same name in two folders; a program that ends its process is invalid."""
    program = (
        "from helper import column\n\n\n"
        "def main(env):\n"
        f"    return env.compile_plan_sql({INSERT!r}.replace('customer', column))\n"
    )
    for folder, column in (("a", "customer"), ("b", "city")):
        (repository / folder).mkdir()
        change(repository, {f"{folder}/helper.py": f"column = {column!r}\n", f"{folder}/job.py": program})
    change(repository, {"stops.py": "import os\n\n\ndef main(env):\n    os._exit(3)\n"})
    code, comment, _ = review("a/job.py", "b/job.py", "stops.py", "--allow-code", ".")
    assert code == 1
    parts = sections(comment)
    assert "the program ended its process, with code 3" in parts["stops.py"]
    assert "by customer" in parts["a/job.py"] and "by city" in parts["b/job.py"]


HOSTILE = "raise SystemExit('hostile')\n"
FUNCTION = "CREATE TEMPORARY FUNCTION f AS 'words.F' LANGUAGE PYTHON;\n" + INSERT.replace("id", "f(id)")
WORDS = """
from compiled_plan import ScalarFunction

class F(ScalarFunction):
    def eval(self, x: int) -> int:
        return x
"""


def test_no_code_of_the_repository_is_run(repository: Path) -> None:
    change(repository, {"jobs/job.py": HOSTILE, "jobs/words.py": HOSTILE, "jobs/used.sql": FUNCTION})
    code, comment, stderr = review("jobs/job.py", "jobs/used.sql")
    parts = sections(comment)
    assert code == 1 and "hostile" not in comment + stderr
    assert "'jobs/job.py' is in none of the folders that code may be imported from" in parts["jobs/job.py"]
    assert "module 'words' is in none of the folders" in parts["jobs/used.sql"]
    assert all("--allow-code FOLDER runs the code" in parts[f"jobs/{name}"] for name in ("job.py", "used.sql"))
    # Another folder does not help.
    (repository / "functions").mkdir()
    assert "in none of the folders" in review("jobs/used.sql", "--allow-code", "functions")[1]
    change(repository, {"functions/words.py": WORDS})
    code, comment, _ = review("jobs/used.sql", "--allow-code", "functions")
    assert code == 0 and comment.startswith("## Plans: new\n")


def test_a_lake_gets_no_secret(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The author of a pull request names the server."""
    monkeypatch.setenv("COMPILED_PLAN_SECRET_TOKEN", "hush")
    options = "'type' = 'iceberg', 'catalog-type' = 'rest', 'uri' = 'http://127.0.0.1:9', 'token' = '${secret:TOKEN}'"
    text = f"CREATE CATALOG lake WITH ({options});\n{INSERT.replace('orders', 'lake.shop.orders')}"
    change(repository, {"jobs/job.sql": text})
    code, comment, _ = review("jobs/job.sql")
    assert code == 1 and "refer to a secret, which is not read for this program" in comment


def test_a_fault_of_the_product_stops_no_review(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    change(repository, {f"jobs/{name}.sql": CHANGES[name] for name in ("partial", "incompatible", "compatible")})
    compared = Comparison.of
    faults = {"partial": RecursionError(), "incompatible": KeyError("x")}

    def fail(before: ComparedSide, after: ComparedSide) -> Comparison:
        if fault := next((fault for name, fault in faults.items() if name in after.name), None):
            raise fault
        return compared(before, after)

    monkeypatch.setattr(Comparison, "of", fail)
    code, comment, _ = review()
    parts = sections(comment)
    assert code == 1 and "- `jobs/compatible.sql`" in comment
    assert "an expression is nested too deeply" in parts["jobs/partial.sql"]
    assert "internal error: KeyError: 'x'" in parts["jobs/incompatible.sql"]


def test_links_to_files_elsewhere_are_not_read(repository: Path, tmp_path: Path) -> None:
    (outside := tmp_path / "secret").write_text("TOKEN = hush\n")
    for name in ("jobs/link.sql", "link.json"):
        (repository / name).symlink_to(outside)
    (repository / "jobs/config.sql").symlink_to(repository / ".git/config")
    (repository / "jobs/loop.sql").symlink_to("loop.sql")
    git(repository, "add", ".")
    assert review("--all")[1].startswith("## Plans: no difference: of 6 programs ")
    (repository / "jobs/here.sql").symlink_to("same.sql")
    assert review()[1].startswith("## Plans: new\n")
    (repository / "jobs/here.sql").unlink()
    for name in ("jobs/same.sql", "tables.sql"):
        (repository / name).unlink()
        (repository / name).symlink_to(outside)
    # A program that became such a link is gone.
    assert CliRunner().invoke(app, []).stdout.startswith("## Plans: deleted\n")
    code, comment, stderr = review()
    assert code == 1 and "no such file in the repository" in stderr and "hush" not in comment + stderr


def test_names_of_a_program_are_no_markup(repository: Path) -> None:
    name = "jobs/a`` <img src=x> `b\n## c.sql"
    change(repository, {name: INSERT.replace("customer,", "`<b>|``<i>`,")})
    comment = review()[1]
    html = MarkdownIt("commonmark").enable("table").render(comment)
    assert "<img" not in html and "<b>" not in html and "<i>" not in html and html.count("<h2>") == 1
    assert "&lt;img src=x&gt;" in html


def test_passwords_are_hidden(repository: Path) -> None:
    options = "'connector' = 'jdbc', 'password' = 'hush', 'url' = 'jdbc:postgresql://u:psst@h/db', 'table-name' = 't'"
    table = f"CREATE TABLE rates (customer STRING, rate BIGINT) WITH ({options});\n"
    wrong = table.replace("'table-name'", "'table-nam'").replace("rate BIGINT", "rate BIGNIT")
    # An error quotes one line, and a value may stand below its key.
    below = wrong.replace("'password' = ", "'password' =\n").replace("'url' =", "'url' =\n").replace("BIGNIT", "INT")
    for text in (table + INSERT.replace("orders", "rates").replace("amount", "rate"), wrong + INSERT, below + INSERT):
        change(repository, {"jobs/added.sql": text})
        comment = review()[1]
        assert "jobs/added.sql" in comment and "hush" not in comment and "psst" not in comment
    (repository.parent / "outside.sql").write_text(
        "CREATE TABLE t (a INT) WITH ('connector' = 'jdbc', 'password' =\n'silence' 'url'='x');"
    )
    comment = review("-i", "../outside.sql")[1]
    assert "outside.sql', line 2" in comment and "silence" not in comment


@pytest.mark.wide
def test_a_plan_that_does_not_run_here(repository: Path) -> None:
    """Flink writes the timestamp of Kafka messages; Spark's connector does not."""
    options = "'connector' = 'kafka', 'topic' = 'x', 'properties.bootstrap.servers' = 'h:1', 'format' = 'json'"
    table = f"CREATE TABLE k (a INT, ts TIMESTAMP_LTZ(3) METADATA FROM 'timestamp') WITH ({options});"
    change(repository, {"jobs/added.sql": f"{table} INSERT INTO k SELECT id, TO_TIMESTAMP_LTZ(id, 3) FROM orders;"})
    code, comment, _ = review()
    assert code == 0 and "| new | execute-plan refuses it: " in comment
    assert "does not write the metadata 'timestamp'" in comment


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("--fail-on", "sometimes"), 2, "choose partial, unknown, incompatible, never"),
        (("--checkpoint", "jobs/same.sql"), 2, "write PROGRAM=DIR"),
        (("--checkpoint", "notes.md=here"), 1, "name a file .sql, .py, .json"),
        (("--base", "nowhere"), 1, "fetch the commit"),
        (("jobs/missing.sql",), 1, "the repository has no program 'jobs/missing.sql'"),
        (("--sample", "jobs/missing.test.yaml"), 1, "the repository has no test 'jobs/missing.test.yaml'"),
        (("--base", "--output=x"), 1, "fetch the commit"),
        (("--github",), 1, "works in a run of GitHub Actions alone"),
    ],
)
def test_wrong_usage(
    repository: Path, arguments: tuple[str, ...], code: int, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("GITHUB_EVENT_PATH", raising=False)
    actual = review(*arguments)
    assert actual[0] == code and message in actual[2]


def test_a_folder_without_a_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(app, [])
    assert result.exit_code == 1 and "run it in a clone of the repository" in result.stderr


@pytest.mark.wide
def test_examples_of_differences(shared_session: None, repository: Path) -> None:
    names = ("compatible", "partial", "incompatible")
    change(repository, {f"jobs/{name}.sql": CHANGES[name] for name in names})
    shown = sections(review("--example", "--fail-on", "never")[1])
    # The same plan has no section.
    assert "jobs/compatible.sql" not in shown
    for name in names[1:]:
        section = shown[f"jobs/{name}.sql"]
        assert "<details><summary>example of group-aggregate-orders-" in section
        assert "program: old.json\ninit: [tables.sql]\nsteps:\n" in section and f"program: jobs/{name}.sql" in section
        base = git(repository, "rev-parse", "HEAD").strip()
        assert f"`git show {base}:jobs/{name}.json > old.json` writes the old plan" in section


def test_reviews_without_spark_have_no_examples(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "find_spec", lambda _: None)
    change(repository, {"jobs/partial.sql": CHANGES["partial"], "jobs/partial.test.yaml": SAMPLE})
    shown = review("--example", "--sample", "*.test.yaml")[1]
    assert "no sample: pyspark is not installed" in shown and "no examples: pyspark is not installed" in shown


SAMPLE = """
steps:
  - rows:
      orders:
        - {id: 1, customer: ann, city: Bonn, amount: 5}
        - {id: 2, customer: bob, city: Bonn, amount: 7}
"""


@pytest.mark.wide
def test_samples_of_rows(shared_session: None, repository: Path) -> None:
    tests = {f"jobs/{name}.test.yaml": SAMPLE for name in ("compatible", "partial", "incompatible", "broken")}
    # A test of a copy of a run's plan is one of the program with this name.
    run = {"jobs/incompatible.test.yaml": f"program: incompatible.test.json{SAMPLE}"}
    more = {"jobs/other.test.yaml": f"program: partial.sql{SAMPLE}  - restart:\n  - ttl: {{x: 1 h}}\n"}
    change(repository, {f"jobs/{name}.sql": text for name, text in CHANGES.items()} | tests | run | more)
    comment = review("--sample", "jobs/*", "--fail-on", "never")[1]
    shown = sections(comment)
    # The plans are the same, and so need no run.
    assert "jobs/compatible.sql" not in shown
    partial = shown["jobs/partial.sql"]
    assert "#### Sample `jobs/partial.test.yaml`: differs as named\n" in partial
    assert "| `default_catalog.default_database.totals` | differs as named | 2 | 0 | 2 | 0 | 0 | 0 |\n" in partial
    assert '{"customer":"ann"}: old {"total":5}, new {"total":6}\n' in partial
    incompatible = shown["jobs/incompatible.sql"]
    assert "| `default_catalog.default_database.totals` | differs as named | 3 | 0 | 0 | 2 | 1 | 0 |\n" in incompatible
    assert "#### Sample" not in shown["jobs/broken.sql"]
    remarks = next(line for line in comment.splitlines() if line.startswith("| `jobs/partial.sql`"))
    assert "`jobs/partial.test.yaml`: differs as named" in remarks
    assert "no comparison over `jobs/other.test.yaml`: 'ttl' in a test is about one program" in remarks
