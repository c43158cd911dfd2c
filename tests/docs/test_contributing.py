"""The steps of CONTRIBUTING.md make commands, options, functions, connectors, formats and operators that work."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.docs.worked import Copy, examples

pytestmark = pytest.mark.wide

EXAMPLES = examples()
WORDS = ("Aeolian", "rhythm", "rhythm", "rhythm")
PROGRAM = """
CREATE TABLE counted (n INT) WITH ('connector' = 'tally', 'label' = 'numbers');
CREATE TABLE words (word STRING) WITH ('connector' = 'filesystem', 'path' = 'words.txt', 'format' = 'plain');
CREATE TABLE numbered (word STRING, vowels INT) WITH ('connector' = 'print');
EXECUTE STATEMENT SET BEGIN
  INSERT INTO counted VALUES (1), (2), (3);
  INSERT INTO numbered SELECT word, VOWELS(word) FROM EVERY_NTH(TABLE words PARTITION BY word, 2);
END;
"""
METHOD = """
from compiled_plan import TableEnvironment, TablePipeline, col

def main(env: TableEnvironment) -> TablePipeline:
    env.execute_sql("CREATE TABLE numbered (vowels INT) WITH ('connector' = 'print')")
    return env.from_values(["rhythm"], ["word"]).select(col("word").vowels).insert_into("numbered")
"""
#: By example the most files that it may touch, with its tests. What is made of them is not counted.
MOST = {
    "An option of a command": 1,
    "A built-in function": 3,
    "A connector": 2,
    "An option of a connector": 3,
    "A format": 2,
    "An operator": 10,
}
OPERATOR = "stream-exec-every-nth_1"


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Copy:
    """A repository in which somebody has followed all examples, as far as `make schema docs`."""
    repository = Copy.of_the_repository(tmp_path_factory.mktemp("copy"))
    for example in EXAMPLES.values():
        for change in example.changes:
            repository.do(change)
    repository.run("compiled_plan.schemas.generate")
    for module in ("signature_table", "expression_methods", "reference"):
        repository.run(f"tools.{module}")
    repository.compile_java(EXAMPLES["An operator"].files)
    return repository


@pytest.fixture(scope="module")
def plan(copy: Copy) -> Path:
    """A plan of what was added, which passes the editor's check."""
    (copy.root / "words.txt").write_text("".join(f"{word}\n" for word in WORDS), encoding="utf-8")
    (copy.root / "program.sql").write_text(PROGRAM, encoding="utf-8")
    path = copy.root / "plan.json"
    copy.run("compiled_plan.cli.compile_plan", "program.sql", "-o", str(path))
    copy.run("compiled_plan.cli.edit_plan", "--check", str(path))
    return path


@pytest.mark.parametrize("name", MOST)
def test_an_example_touches_few_files(name: str) -> None:
    files = EXAMPLES[name].files
    assert len(files) <= MOST[name], sorted(files)


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_has_at_most_five_steps(name: str) -> None:
    example = EXAMPLES[name]
    assert 1 <= len(example.steps) <= 5
    assert [step[0] for step in example.steps] == [str(at) for at in range(1, len(example.steps) + 1)]
    assert example.changes


def test_the_copy_is_what_runs(copy: Copy) -> None:
    (copy.root / "where.py").write_text("import compiled_plan\nprint(compiled_plan.__file__)\n", encoding="utf-8")
    assert copy.run("where").strip() == str(copy.root / "compiled_plan/__init__.py")


def test_what_was_added_has_the_style_of_the_house(copy: Copy) -> None:
    files = sorted(path for example in EXAMPLES.values() for path in example.files if path.endswith(".py"))
    copy.run("ruff", "check", "--quiet", *files)
    copy.run("ruff", "format", "--quiet", "--check", *files)


def test_the_command_works_and_is_documented(copy: Copy, plan: Path) -> None:
    nodes = json.loads(plan.read_text(encoding="utf-8"))["nodes"]
    assert copy.run("compiled_plan.cli.count_nodes", str(plan)).strip() == str(len(nodes))
    assert copy.run("compiled_plan.cli.count_nodes", "--of", "sink", str(plan)).strip() == "2"
    page = (copy.root / "docs/reference/commands.md").read_text(encoding="utf-8")
    assert "count-nodes PLAN.json [OPTIONS]" in page
    assert "Print the number of nodes of a plan." in page
    assert "| `--of` `KIND` | Only the nodes of this kind. |" in page


def test_the_function_is_planned_checked_and_documented(copy: Copy, plan: Path) -> None:
    assert "$VOWELS$1" in plan.read_text(encoding="utf-8")
    assert "| `VOWELS` | `(<CHARACTER>)` |" in (copy.root / "docs/reference/functions.md").read_text(encoding="utf-8")
    assert json.loads((copy.root / "plans/rex/signatures.json").read_text(encoding="utf-8"))["$VOWELS$1"] == "C:N"


def test_the_function_is_a_method_of_expressions(copy: Copy) -> None:
    (copy.root / "vowels.py").write_text(METHOD, encoding="utf-8")
    assert "$VOWELS$1" in copy.run("compiled_plan.cli.compile_plan", "vowels.py")


def test_the_connector_is_planned_checked_and_documented(copy: Copy, plan: Path) -> None:
    page = (copy.root / "docs/reference/connectors.md").read_text(encoding="utf-8")
    assert "| `tally` | Prints the number of rows of each micro-batch to stdout. |  | all changes |" in page
    assert "| `label` | any text | `rows` |  | Word printed after the number. |" in page
    assert (
        "| `minimum` | a whole number, 0 or more | `0` |  | Number of rows from which a micro-batch is printed. |"
        in page
    )
    with pytest.raises(AssertionError, match="has no option 'colour'"):
        (copy.root / "wrong.sql").write_text(PROGRAM.replace("'label'", "'colour'"), encoding="utf-8")
        copy.run("compiled_plan.cli.compile_plan", "wrong.sql")


def test_the_format_is_planned_checked_and_documented(copy: Copy, plan: Path) -> None:
    page = (copy.root / "docs/reference/connectors.md").read_text(encoding="utf-8")
    assert "| `plain` | One column, a value per line. |" in page
    with pytest.raises(AssertionError, match="format 'plain' holds one column of type STRING"):
        (copy.root / "unfit.sql").write_text(PROGRAM.replace("words (word", "words (n INT, word"), encoding="utf-8")
        copy.run("compiled_plan.cli.compile_plan", "unfit.sql")


def test_the_operator_is_given_by_sql(copy: Copy) -> None:
    (test,) = (path for path in EXAMPLES["An operator"].files if path.startswith("tests/"))
    assert "2 passed" in copy.run("pytest", "-q", test)


def test_the_operator_is_in_schema_editor_checks_and_pages(copy: Copy, plan: Path) -> None:
    assert OPERATOR in (copy.root / "schemas/compiled-plan.schema.json").read_text(encoding="utf-8")
    page = (copy.root / "docs/reference/nodes.md").read_text(encoding="utf-8")
    assert f"| `{OPERATOR}` | 1 input | `everyNthState` | Passes every n-th row of each key |" in page
    assert f"| `{OPERATOR}` | **`keys`**, `n` |" in page
    assert "everyNthState" in copy.run("compiled_plan.cli.edit_plan", str(plan))
    broken = plan.with_name("broken.json")
    broken.write_text(plan.read_text(encoding="utf-8").replace('"keys" : [ 0 ]', '"keys" : [ 7 ]'), encoding="utf-8")
    with pytest.raises(AssertionError, match="keys"):
        copy.run("compiled_plan.cli.edit_plan", "--check", str(broken))
    copy.run("compiled_plan.cli.execute_plan", "--dry-run", str(plan))


@pytest.mark.deep
@pytest.mark.spark
def test_what_was_added_runs(copy: Copy, plan: Path) -> None:
    said = copy.run("compiled_plan.cli.execute_plan", str(plan), "--quiet", "--master", "local[1]")
    assert sorted(said.splitlines()) == ["+I[rhythm, 0]", "3 numbers"]


@pytest.mark.deep
@pytest.mark.spark
def test_the_tests_of_what_was_added_pass(copy: Copy) -> None:
    tests = [path for name in ("A built-in function", "An option of a connector") for path in EXAMPLES[name].files]
    assert "4 passed" in copy.run("pytest", "-q", *(path for path in tests if path.startswith("tests/")))
