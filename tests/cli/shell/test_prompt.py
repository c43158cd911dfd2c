"""The prompt with keys from a pipe: lines, history, highlighting."""

from __future__ import annotations

import signal
import stat
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from prompt_toolkit.history import InMemoryHistory
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput
from pygments.token import Comment, Keyword, Number, String

from compiled_plan.cli.shell.interrupts import Terminated, interrupt
from compiled_plan.cli.shell.lexer import SqlLexer
from compiled_plan.cli.shell.prompt import _SCHEMAS, _style, converse, history_file, history_in, prompt_session
from compiled_plan.cli.shell.results import Results
from compiled_plan.cli.shell.shell import Shell
from compiled_plan.planner.options.session import OPTIONS
from compiled_plan.results.formats import Format
from compiled_plan.results.kinds import JobStatus
from tests.support.fake_jobs import FAILURE, FakeEnvironment, FakeJob

ENTER, TAB, CTRL_C, CTRL_D, UP = "\r", "\t", "\x03", "\x04", "\x1b[A"


@pytest.fixture
def shell() -> Iterator[Shell]:
    env = FakeEnvironment()
    shell = Shell(env, Results(env.config, Format.CSV, False))
    yield shell
    shell.close()


def typed(shell: Shell, keys: str, history: Path | None = None) -> list[str]:
    """The statements that are executed when keys are typed."""
    stored = InMemoryHistory() if history is None else history_in(history)
    with create_pipe_input() as source:
        source.send_text(keys)
        converse(shell, prompt_session(shell, stored, source=source, target=DummyOutput()))
    return shell.environment.statements  # type: ignore[attr-defined, no-any-return]


def test_a_statement_ends_with_a_semicolon(shell: Shell) -> None:
    keys = f"SHOW{ENTER} CATALOGS;{ENTER}{ENTER}SET 'a' = ';{ENTER}';{ENTER}quit;{ENTER}"
    assert typed(shell, keys) == ["SHOW\n CATALOGS", "SET 'a' = ';\n'"]


def test_a_statement_set_is_one_statement(shell: Shell) -> None:
    text = f"BEGIN STATEMENT SET;{ENTER}INSERT INTO a SELECT 1;{ENTER}END;{ENTER}"
    assert typed(shell, f"{text}{CTRL_D}") == ["BEGIN STATEMENT SET;\nINSERT INTO a SELECT 1;\nEND"]


def test_errors_go_on_at_the_prompt(shell: Shell, capsys: pytest.CaptureFixture[str]) -> None:
    shell.environment.job = FakeJob((), FAILURE)  # type: ignore[attr-defined]
    typed(shell, f"DESCRIBE nope;{ENTER}abandoned{CTRL_C}INSERT;{ENTER}SHOW DATABASES;{ENTER}{CTRL_D}")
    out, err = capsys.readouterr()
    assert out.splitlines() == ["database name", "default_database"]
    assert "error: table or view 'nope' not found\n  at: line 1, column 1\n" in err
    assert "abandoned" not in err
    assert err.count("(insert-into_a): failed") == 1 and "error: the disk is full" in err


@pytest.mark.parametrize("keys", ["SHO", f"SELECT 1;{ENTER}"])
def test_sigterm_ends_the_shell(shell: Shell, keys: str) -> None:
    job = FakeJob((), endless=True)
    shell.environment.job = job  # type: ignore[attr-defined]
    main = threading.main_thread().ident
    assert main is not None
    timer = threading.Timer(0.5, signal.pthread_kill, (main, signal.SIGTERM))
    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        timer.start()
        with pytest.raises(Terminated):
            typed(shell, keys)
    finally:
        timer.join()
        signal.signal(signal.SIGTERM, before)
    assert job.status is (JobStatus.CANCELED if "SELECT" in keys else JobStatus.RUNNING)


def test_tab_completes(shell: Shell) -> None:
    assert typed(shell, f"SHOW CATA{TAB};{ENTER}{CTRL_D}") == ["SHOW CATALOGS"]


def test_the_history_is_private_and_has_no_secrets(shell: Shell, tmp_path: Path) -> None:
    file = tmp_path / "state" / "history"
    secret = "CREATE TABLE t (a INT) WITH ('connector' = 'kafka', 'properties.password' = 'hunter2');"
    typed(shell, f"SHOW CATALOGS;{ENTER}{secret}{ENTER}{CTRL_D}", file)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600 and stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    assert "'properties.password' = '******'" in file.read_text() and "hunter2" not in file.read_text()
    file.chmod(0o644)
    typed(shell, f"{UP}{UP}{ENTER}{CTRL_D}", file)
    assert shell.environment.statements[-1] == "SHOW CATALOGS"  # type: ignore[attr-defined]
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_a_history_that_cannot_be_written_is_kept_in_memory(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    (tmp_path / "compiled-plan").write_text("a file")
    assert isinstance(history_in(history_file()), InMemoryHistory)
    assert "warning: there is no history file" in capsys.readouterr().err


def test_colours(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "SELECT 'a', 1 -- end\nFROM `t`"
    kinds = {value: kind for kind, value in SqlLexer().get_tokens(text)}
    assert (kinds["SELECT"], kinds["'a'"], kinds["1"]) == (Keyword, String, Number)
    assert kinds[" -- end\n"] is Comment
    assert "".join(value for _, value in SqlLexer().get_tokens("SELECT 'open\n")) == "SELECT 'open\n"
    assert {"DEFAULT", *_SCHEMAS} == {*OPTIONS["sql-client.display.color-schema"].choices}
    config = FakeEnvironment().config
    for schema in OPTIONS["sql-client.display.color-schema"].choices:
        config.set("sql-client.display.color-schema", schema)
        assert _style(config).style_rules
    monkeypatch.setenv("NO_COLOR", "1")
    assert not _style(config).style_rules
