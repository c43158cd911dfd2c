"""`plan-shell` as a user calls it."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from compiled_plan import TableEnvironment
from tests.support.commands import ROOT, called

TMUX = shutil.which("tmux")


def test_statements_of_options_and_files(tmp_path: Path) -> None:
    (tmp_path / "init.sql").write_text("CREATE TABLE t (a INT) WITH ('connector' = 'datagen');")
    (tmp_path / "script.sql").write_text("SHOW TABLES; USE CATALOG default_catalog; QUIT; DESCRIBE nope;")
    option = ("-i", tmp_path / "init.sql", "--set", "table.exec.state.ttl=1 h")
    done = called("plan_shell", *option, "-f", tmp_path / "script.sql", "-e", "DESCRIBE t", "--format", "csv")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "name,type,null,key,extras,watermark\na,INT,TRUE,,,\ntable name\nt\n"


def test_the_first_error_ends_a_script(tmp_path: Path) -> None:
    script = tmp_path / "script.sql"
    script.write_text("SHOW CATALOGS;\nDESCRIBE nope;\nSHOW DATABASES;")
    done = called("plan_shell", "-f", script, "--format", "csv")
    assert (done.returncode, done.stdout) == (1, "catalog name\ndefault_catalog\n")
    assert done.stderr.startswith(f"error: {script}: table or view 'nope' not found\n  at: line 2, column 1\n")


def test_a_syntax_error_is_reported_before_anything_runs() -> None:
    done = called("plan_shell", "-e", "SHOW CATALOGS; SHOW CATALOG", "--format", "csv")
    assert (done.returncode, done.stdout) == (1, "")
    assert "at: line 1, column 21" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("-f", "missing.sql"), 1, "no such program file"),
        (("-e", "SHOW TABLES", "--set", "table.dml-sync=maybe"), 1, "invalid value 'maybe'"),
        (("-e", "SET 'sql-client.execution.result-mode' = 'graph'"), 1, "invalid value 'graph'"),
        (("-e", "SHOW TABLES", "--format", "xml"), 2, "xml"),
        (("-e", "SHOW TABLES", "-i", "a.py"), 2, "takes a file of SQL"),
    ],
)
def test_refusals(arguments: tuple[str, ...], code: int, message: str) -> None:
    done = called("plan_shell", *arguments)
    assert done.returncode == code and not done.stdout
    assert message in done.stderr


def test_a_pipe_is_a_script() -> None:
    text = "SHOW CATALOGS;\nSHOW DATABASES"
    line = [sys.executable, "-m", "compiled_plan.cli.plan_shell", "--format", "json"]
    done = subprocess.run(line, input=text, capture_output=True, text=True, cwd=ROOT, check=False, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == '{"catalog name": "default_catalog"}\n{"database name": "default_database"}\n'


def rows(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


@pytest.mark.wide
def test_queries_jobs_and_state(spark: object, tmp_path: Path) -> None:
    orders = tmp_path / "orders.json"
    orders.write_text(
        '{"customer": "ann", "price": 9.5}\n{"customer": "bob", "price": 4}\n{"customer": "ann", "price": 1.25}\n'
    )
    totals = "SELECT customer, COUNT(*) AS n, SUM(price) AS paid FROM orders GROUP BY customer"
    (tmp_path / "init.sql").write_text(f"""
        CREATE TABLE orders (customer STRING, price DECIMAL(10, 2))
          WITH ('connector' = 'filesystem', 'path' = '{orders}', 'format' = 'json');
        CREATE TABLE endless (a INT) WITH ('connector' = 'datagen', 'rows-per-second' = '100');
        CREATE TABLE done (customer STRING, price DECIMAL(10, 2))
          WITH ('connector' = 'filesystem', 'path' = '{tmp_path}/done', 'format' = 'json');
        CREATE TABLE totals (customer STRING, n BIGINT, paid DECIMAL(38, 2)) WITH ('connector' = 'blackhole');
    """)
    env = TableEnvironment({"table.exec.state.ttl": "1 h"}, init=[tmp_path / "init.sql"])
    checkpoint = tmp_path / "checkpoint"
    plan = env.compile_plan_sql(f"INSERT INTO totals {totals}")
    plan.execute(checkpoint=str(checkpoint)).wait()
    uid = next(node.uid for node in plan.nodes if node.ttl_entries)
    script = tmp_path / "script.sql"
    script.write_text(f"""
        INSERT INTO done SELECT * FROM orders WHERE price > 2;
        SHOW JOBS;
        {totals};
        SELECT a IS NULL AS b FROM endless LIMIT 3;
        DESCRIBE state.`{uid}`;
        SELECT customer, s.aggregates.`SUM(price)`.`sum` AS paid, last_write < expires AS lives
          FROM state.`{uid}` AS s WHERE customer = 'ann';
    """)
    done = called(
        "plan_shell", "-i", tmp_path / "init.sql", "--checkpoint", checkpoint, "-f", script, "--format", "json"
    )
    assert done.returncode == 0, done.stderr
    job, *shown = rows(done.stdout)
    assert job["job name"] == "insert-into_default_catalog.default_database.done"
    assert sorted(shown[:2], key=str) == [
        {"customer": "ann", "n": 2, "paid": 10.75},
        {"customer": "bob", "n": 1, "paid": 4.0},
    ]
    assert shown[2:5] == [{"b": False}] * 3
    described = {row["name"]: row["type"] for row in shown[5:-1]}
    assert [*described][:4] == ["customer", "key_text", "last_write", "expires"]
    assert described["customer"] == "STRING" and described["expires"] == "TIMESTAMP_LTZ(6)"
    assert shown[-1] == {"customer": "ann", "paid": 10.75, "lives": True}
    # The end of the shell waits for its jobs.
    written = [line for file in (tmp_path / "done").glob("part*") for line in file.read_text().splitlines()]
    assert len(written) == 2


class Terminal:
    """A terminal of tmux."""

    def __init__(self, socket: Path, *command: str) -> None:
        self._tmux = [str(TMUX), "-S", str(socket), "-f", "/dev/null"]
        # Not as a daemon, which sandboxes refuse.
        null = subprocess.DEVNULL
        self.server = subprocess.Popen(
            [*self._tmux, "-D"], start_new_session=True, stdin=null, stdout=null, stderr=null
        )
        until = time.monotonic() + 20
        while not socket.exists():
            assert time.monotonic() < until
            time.sleep(0.02)
        self._call("new-session", "-d", "-x", "100", "-y", "30", *command)

    def _call(self, *arguments: str) -> str:
        return subprocess.run([*self._tmux, *arguments], capture_output=True, text=True, check=True).stdout

    def type(self, text: str, *keys: str) -> None:
        """Type a text, and then keys by their names."""
        if text:
            # To tmux a semicolon at the end is its own.
            self._call("send-keys", "-l", f"{text[:-1]}\\;" if text.endswith(";") else text)
        for key in keys:
            self._call("send-keys", key)

    def screen(self) -> str:
        return self._call("capture-pane", "-p", "-S", "-200")

    def shows(self, text: str, seconds: float = 90) -> str:
        """Wait until the screen shows a text."""
        until = time.monotonic() + seconds
        while text not in (screen := self.screen()):
            assert time.monotonic() < until, f"no {text!r} in\n{screen}"
            time.sleep(0.1)
        return screen

    def ends(self, seconds: float = 60) -> None:
        """Wait for the end of the program."""
        until = time.monotonic() + seconds
        while not subprocess.run([*self._tmux, "has-session"], capture_output=True, check=False).returncode:
            assert time.monotonic() < until, self.screen()
            time.sleep(0.1)

    def close(self) -> None:
        subprocess.run([*self._tmux, "kill-server"], capture_output=True, check=False)
        self.server.wait(20)


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Terminal]:
    environment = [
        f"{key}={value}" for key, value in (("PYTHONPATH", ROOT), ("XDG_STATE_HOME", tmp_path), ("PAGER", ""))
    ]
    options = ("--master", "local[2]", "--set", "sql-client.display.print-time-cost=false")
    command = ["env", *environment, sys.executable, "-m", "compiled_plan.cli.plan_shell", *options]
    terminal = Terminal(tmp_path / "tmux", *command)
    yield terminal
    terminal.close()


@pytest.mark.wide
@pytest.mark.spark
@pytest.mark.skipif(TMUX is None, reason="there is no tmux")
def test_a_conversation_in_a_terminal(terminal: Terminal, tmp_path: Path) -> None:
    terminal.shows("plan>")
    terminal.type("CREATE TABLE g (a INT, b INT) WITH ('connector' = 'datagen', 'rows-per-second' = '20',", "Enter")
    terminal.shows("->")
    terminal.type("'fields.a.min' = '1', 'fields.a.max' = '2');", "Enter")
    terminal.shows("OK")
    terminal.type("SELECT nope FROM g;", "Enter")
    screen = terminal.shows("column 8")
    assert "    SELECT nope FROM g\n           ^^^^\n" in screen
    # A table that is updated in place, until Ctrl-C; the last one stays.
    terminal.type("SELECT a, COUNT(*) AS n FROM g GROUP BY a;", "Enter")
    terminal.shows("2 rows, ")
    terminal.type("", "C-c")
    screen = terminal.shows("stopped")
    assert "2 rows in set" in screen and screen.count("| a |") == 1
    # Changes; LIMIT ends a query that would go on.
    terminal.type("SET 'sql-client.execution.result-mode' = 'changelog'; SELECT a FROM g LIMIT 2;", "Enter")
    assert "| +I |" in terminal.shows("2 rows in set\nplan>", 60).partition("| op |")[2]
    # A job in the background.
    terminal.type("CREATE TABLE s (a INT) WITH ('connector' = 'blackhole');", "Enter")
    terminal.type("INSERT INTO s SELECT a FROM g;", "Enter")
    job = terminal.shows(" has started").rpartition(" has started")[0].rpartition(" ")[2]
    terminal.type("SHOW JOBS;", "Enter")
    assert "RUNNING" in terminal.shows("insert-into_default_catalog.default_database.s")
    terminal.type("STOP JOB '", "Tab")
    terminal.type(";", "Enter")
    terminal.shows(f"job {job} (insert-into_default_catalog.default_database.s): canceled")
    terminal.type("QUIT;", "Enter")
    history = tmp_path / "compiled-plan" / "shell_history"
    assert "SELECT nope FROM g;" in history.read_text()
    terminal.ends()
