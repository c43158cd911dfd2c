"""The code blocks of the pages, and the way to run or check each kind.

A block whose first line names a file (`-- orders.sql`, `# words.py`, `# compiled-plan.toml`) is written to that file.
One whose first line is `not run: <why>` is checked for its syntax, and for the options of our commands. All others are
run, page by page and in order, in a folder of the page's own that has the repository's `samples`. A block of text that
begins with `$ command` is a session: each command prints the lines below it, in any order; `...` stands for omitted
lines. One that begins with
`plan> statement` is a conversation with `plan-shell`, with the same rules.
"""

from __future__ import annotations

import ast
import json
import re
import shlex
import subprocess
import tomllib
from collections.abc import Iterator
from contextlib import redirect_stdout
from dataclasses import dataclass, field
from importlib import import_module
from io import StringIO
from pathlib import Path
from typing import Any

import typer
import yaml
from typer.testing import CliRunner

from compiled_plan import TableEnvironment
from compiled_plan.commands.registry import UMBRELLA
from compiled_plan.planner.sql.parse import parse_script
from compiled_plan.testing.document import read_document
from tools.reference.commands import COMMANDS as SINGLE

ROOT = Path(__file__).resolve().parent.parent.parent
PAGES = sorted(
    path
    for path in (*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "samples").rglob("*.md"))
    if "```" in path.read_text(encoding="utf-8")
)
#: Modules of the commands.
COMMANDS = {**SINGLE, UMBRELLA: "compiled_plan.cli.umbrella"}
#: Blocks of these languages are not checked: output of programs, diagrams of folders.
PROSE = frozenset({"ini", "properties", "text", "java"})
#: Blocks of these are run, unless they say otherwise.
RUN = frozenset({"bash", "python", "sql"})

_BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_FILE = re.compile(r"(?:--|#) ([\w./-]+\.(?:sql|py|toml|yaml))$")
_NOT_RUN = re.compile(r"(?:--|#) not run: \S+")
_PROMPT = "$ "
_SHELL_PROMPT, _SHELL_MORE = "plan> ", "   -> "
_SHELL = re.compile(r"[|><;&$*`]")
_TARGETS = frozenset(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))


@dataclass(frozen=True, slots=True)
class Block:
    """A block of code: its position, language and text."""

    page: Path
    line: int
    language: str
    text: str

    @property
    def file(self) -> str | None:
        """The file that the block defines."""
        match = _FILE.match(self.text.partition("\n")[0])
        return match[1] if match else None

    @property
    def runs(self) -> bool:
        """Return True if the block is run."""
        return not _NOT_RUN.match(self.text.partition("\n")[0])

    def __str__(self) -> str:
        return f"{self.page.relative_to(ROOT)}:{self.line}"


def blocks(page: Path) -> tuple[Block, ...]:
    """The blocks of a page, in order."""
    text = page.read_text(encoding="utf-8")
    return tuple(
        Block(page, text[: match.start()].count("\n") + 1, match[1], match[2]) for match in _BLOCK.finditer(text)
    )


def check(block: Block) -> None:
    """Check a block without running it."""
    match block.language:
        case "sql":
            parse_script(block.text)
        case "python":
            ast.parse(block.text)
        case "bash":
            subprocess.run(["bash", "-n"], input=block.text, text=True, check=True)
            for line in _lines(block.text):
                _check_line(line)
        case "yaml":
            if (block.file or "").endswith(".test.yaml"):
                read_document(block.file or "", block.text)
            else:
                list(yaml.safe_load_all(block.text))
        case "json":
            text = block.text.strip()
            json.loads(text if text.startswith(("{", "[")) else f"{{{text}}}")
        case "toml":
            tomllib.loads(block.text)
        case language:
            assert language in PROSE, f"{block}: a block of {language or 'no language'}"


def _lines(text: str) -> Iterator[str]:
    """The commands of a block."""
    for line in text.replace("\\\n", " ").splitlines():
        if line.strip() and not line.lstrip().startswith("#"):
            yield line


def _check_line(line: str) -> None:
    words = shlex.split(line, comments=True)
    words = words[: words.index(">")] if ">" in words else words
    if words[0] == "make":
        assert {word for word in words[1:] if "=" not in word} <= _TARGETS, f"no such target: {line}"
    elif words[0] in COMMANDS:
        command: Any = typer.main.get_command(import_module(COMMANDS[words[0]]).app)
        command.make_context(words[0], words[1:])


def _check_output(block: Block, command: str, lines: list[str], output: list[str]) -> None:
    missing = [line for line in lines if line not in (*output, "...")]
    assert not missing, f"{block}: {command} gives\n{chr(10).join(output)}\nand not\n{missing}"
    assert "..." in lines or not set(output) - set(lines), f"{block}: {command} gives {output}"


@dataclass
class Reader:
    """A reader who follows a page: the folder, and the state left by Python and SQL blocks so far."""

    folder: Path
    names: dict[str, Any] = field(default_factory=lambda: {"__name__": "page"})

    def follow(self, block: Block) -> None:
        """Run a block or write its file."""
        if block.file is not None:
            (self.folder / block.file).write_text(block.text, encoding="utf-8")
        elif block.language == "python":
            exec(compile(block.text, str(block), "exec"), self.names)
        elif block.language == "sql":
            env = self.names.setdefault("env", TableEnvironment())
            env.get_config().set("table.dml-sync", "true")
            env.execute_sql(block.text)
        elif block.language == "bash":
            for line in _lines(block.text):
                self._command(line)
        elif block.language == "text" and block.text.startswith(_PROMPT):
            for part in re.split(rf"^{re.escape(_PROMPT)}", block.text, flags=re.MULTILINE)[1:]:
                command, *lines = part.splitlines()
                fails = any(line.startswith("FAILED") for line in lines)
                output = self._command(command, code=int(fails)).splitlines()
                _check_output(block, command, lines, output)
        elif block.language == "text" and block.text.startswith(_SHELL_PROMPT):
            self._converse(block)

    def _converse(self, block: Block) -> None:
        """Give the statements of a conversation to a shell."""
        from compiled_plan.cli.shell.results import Results
        from compiled_plan.cli.shell.shell import Shell
        from compiled_plan.results.formats import Format

        env = TableEnvironment({"sql-client.display.print-time-cost": "false"})
        shell = Shell(env, Results(env.config, Format.TABLE, True))
        for part in re.split(rf"^{_SHELL_PROMPT}", block.text, flags=re.MULTILINE)[1:]:
            first, *lines = part.splitlines()
            more = [line for line in lines if line.startswith(_SHELL_MORE)]
            statement = "\n".join([first, *(line.removeprefix(_SHELL_MORE) for line in more)])
            with redirect_stdout(StringIO()) as output:
                shell.run(statement)
            _check_output(block, statement, lines[len(more) :], output.getvalue().splitlines())
        shell.close()

    def _command(self, line: str, code: int = 0) -> str:
        """Run a command, which must exit with a code; returns its output."""
        words = shlex.split(line, comments=True)
        if words[0] == "make":
            _check_line(line)
            return ""
        if words[0] in COMMANDS and not _SHELL.search(line.partition(" #")[0]):
            if words[0] in ("execute-plan", "inspect-state"):
                words = [self._placed(word) for word in words]
            result = CliRunner().invoke(import_module(COMMANDS[words[0]]).app, words[1:])
            assert result.exit_code == code, f"{line}\n{result.output}{result.exception or ''}"
            return result.output
        done = subprocess.run(["bash", "-euc", line], cwd=self.folder, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{line}\n{done.stdout}{done.stderr}"
        return done.stdout

    def _placed(self, word: str) -> str:
        """A command line's word with absolute paths, in the plan too: the JVM of the tests has another folder."""
        path = self.folder / word
        if word.endswith(".json"):
            text = path.read_text(encoding="utf-8")
            path.write_text(
                re.sub(r'("(?:dead-letter\.)?path" : ")(?!/)', rf"\g<1>{self.folder}/", text), encoding="utf-8"
            )
        return str(path) if word == "checkpoint" else word
