"""`compiled-plan`: sub-commands, imported when they are called."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from typer.testing import CliRunner

from compiled_plan.cli import umbrella
from compiled_plan.commands.registry import COMMANDS, UMBRELLA
from tests.support.commands import ROOT, called

PROGRAM = """
CREATE TABLE a (id INT) WITH ('connector' = 'datagen');
CREATE TABLE b (id INT) WITH ('connector' = 'print');
INSERT INTO b SELECT id FROM a;
"""


def test_the_single_commands_are_the_sub_commands() -> None:
    scripts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["scripts"]
    modules = {UMBRELLA: "cli.umbrella"} | {name: entry.module for name, entry in COMMANDS.items() if entry.single}
    assert scripts == {name: f"compiled_plan.{module}:main" for name, module in modules.items()}


def test_a_sub_command_is_the_single_command(tmp_path: Path) -> None:
    program = tmp_path / "program.sql"
    program.write_text(PROGRAM)
    command = [sys.executable, "-m", "compiled_plan", "compile", str(program), "-o", str(tmp_path / "one.json")]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    assert called("compile_plan", program, "-o", tmp_path / "two.json").returncode == 0
    assert (tmp_path / "one.json").read_text() == (tmp_path / "two.json").read_text()


def test_help_lists_and_a_wrong_name_suggests() -> None:
    text = CliRunner().invoke(umbrella.app, ["--help"]).stdout
    assert "Compile table programs" in text
    assert all(f"  {entry.word} " in text and entry.help in text for entry in COMMANDS.values())
    wrong = CliRunner().invoke(umbrella.app, ["exekute"])
    assert wrong.exit_code == 2 and "Did you mean 'execute'?" in wrong.stderr


@pytest.mark.parametrize("words", [["--help"], ["edit", "--help"]])
def test_no_other_command_is_imported(words: list[str]) -> None:
    program = (
        f"import sys; sys.argv[1:] = {words}\n"
        "from compiled_plan.cli.umbrella import main\n"
        "try: main()\nexcept SystemExit: pass\n"
        "print([name for name in sys.modules if name.split('.')[0] in ('pyspark', 'py4j', 'fastapi') "
        "or name.startswith('compiled_plan.cli.') and name.endswith('_plan')])"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=True, capture_output=True, text=True)
    assert done.stdout.splitlines()[-1] == str(["compiled_plan.cli.edit_plan"] if "edit" in words else [])


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_the_shared_options(name: str) -> None:
    command = umbrella.commands[COMMANDS[name].word]
    shared = {text for item in command.params for text in item.opts if not getattr(item, "expose_value", True)}
    assert {"--version", "--install-completion"} <= shared
    assert ({"--config", "--no-config"} <= shared) == COMMANDS[name].configurable


def test_the_example_of_the_page_is_valid(tmp_path: Path) -> None:
    page = (ROOT / "docs/reference/config-file.md").read_text(encoding="utf-8")
    (file := tmp_path / "compiled-plan.toml").write_text(page.partition("```toml\n")[2].partition("```")[0])
    for entry in COMMANDS.values():
        if entry.configurable:
            # Both options take effect in their order.
            said = CliRunner().invoke(umbrella.app, [entry.word, "--config", str(file), "--version"])
            assert (said.exit_code, said.exception) == (0, None), entry


def test_arguments_are_those_of_the_single_command(monkeypatch: pytest.MonkeyPatch) -> None:
    """The warm process repeats them."""
    monkeypatch.setattr(sys, "argv", ["compiled-plan", "config", "none.toml"])
    CliRunner().invoke(umbrella.app, ["config", "none.toml"])
    assert sys.argv == ["compiled-plan", "none.toml"]


def test_completion_of_sub_commands_and_their_options() -> None:
    def completed(*words: str) -> list[str]:
        env = {"_COMPILED_PLAN_COMPLETE": "complete_bash", "COMP_WORDS": " ".join(words)}
        env["COMP_CWORD"] = str(len(words) - 1)
        return CliRunner().invoke(umbrella.app, [], prog_name="compiled-plan", env=env).stdout.split()

    assert completed("compiled-plan", "e") == ["edit", "execute", "export"]
    assert completed("compiled-plan", "execute", "--check") == ["--checkpoint"]
