"""The config file: search, values by the declarations of options, errors with file and line."""

from __future__ import annotations

import os
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import typer

from compiled_plan.commands.config import NAME, SHARED, ConfigFile, Declared, nearest_file, searched_file
from compiled_plan.commands.registry import COMMANDS
from compiled_plan.commands.trust import is_trusted, trust
from compiled_plan.plans.errors import ProgramError

OPTIONS = (
    Declared("checkpoint", str, False, "DIR"),
    Declared("conf", str, True, "K=V"),
    Declared("init", str, True, "INIT.sql"),
    Declared("functions-from", str, True, "MODULE[=FOLDERS]|FILE.jar|PREFIX"),
    Declared("program", str, True, "PROGRAM=DIR"),
    Declared("lineage", str, False, "URL|FILE"),
    Declared("trigger", str, False, "2s|real-time[=1m]"),
    Declared("quiet", bool, False, ""),
    Declared("max-files-per-batch", int, False, "N"),
    Declared("days", float, False, "N"),
    Declared("trust-pickled-state", bool, False, ""),
)
COMMAND = "execute-plan"
Write = Callable[[str], ConfigFile]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def config(text: str) -> ConfigFile:
        (tmp_path / NAME).write_text(text)
        return ConfigFile(tmp_path / NAME)

    return config


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("trigger = '2s'", "2s"),
        ("quiet = true", True),
        ("max-files-per-batch = 5", 5),
        ("days = 2", 2.0),
        ("conf = 'a=b'", ["a=b"]),
        ("conf = ['a=b', 'c=d=e']", ["a=b", "c=d=e"]),
        (
            "conf = {spark.a = 1, spark.b = {c = true}, 'spark.d' = 'x y'}",
            ["spark.a=1", "spark.b.c=true", "spark.d=x y"],
        ),
        ("checkpoint = 's3://bucket/{plan}'", "s3://bucket/{plan}"),
        ("checkpoint = 'state/{plan}'", "/HERE/state/{plan}"),
        ("checkpoint = '/state'", "/state"),
        ("init = ['a.sql', '/b.sql', '~/c.sql']", ["/HERE/a.sql", "/b.sql", f"{Path.home()}/c.sql"]),
        ("functions-from = ['shop=lib:/src', 'lib/shop.jar', 'org.shop']", None),
        ("program = 'a.sql=state/a'", ["a.sql=/HERE/state/a"]),
        ("program = {'a.sql' = 'state/a', b.sql = 's3://b'}", ["a.sql=/HERE/state/a", "b.sql=s3://b"]),
        ("lineage = 'events.jsonl'", "/HERE/events.jsonl"),
        ("lineage = 'http://marquez:5000'", "http://marquez:5000"),
    ],
)
def test_values_as_of_the_command_line(write: Write, tmp_path: Path, text: str, value: Any) -> None:
    config = write(f"[{COMMAND}]\n{text}\n")
    ((key, default),) = config.defaults(COMMAND, OPTIONS).items()
    if key == "functions-from":
        value = [f"shop=/HERE/lib{os.pathsep}/src", "/HERE/lib/shop.jar", "org.shop"]
    assert repr(default.value).replace(str(tmp_path), "/HERE") == repr(value)
    assert default.line == 2


def test_a_command_overrides_the_options_of_all(write: Write) -> None:
    config = write(
        "master = 'local[1]'\ninit = '/all.sql'\n[execute-plan]\ninit = '/one.sql'\n[diff-plan]\nall = true\n"
    )
    defaults = config.defaults(COMMAND, OPTIONS)
    # `master` is no option of this command.
    assert {key: (default.value, default.line) for key, default in defaults.items()} == {"init": (["/one.sql"], 4)}
    assert config.defaults("compile-plan", OPTIONS)["init"].value == ["/all.sql"]


@pytest.mark.parametrize(
    ("text", "message", "line", "remedy"),
    [
        ("= 1", "not valid TOML: Invalid statement (at line 1", 0, "correct that line"),
        ("\ntriger = '2s'", "unknown key 'triger'", 2, "an option in the table of a command: [compile-plan]"),
        ("trigger = '2s'", "unknown key 'trigger'", 1, "[execute-plan]"),
        ("[plan-service]\nport = 1", "unknown key 'plan-service'", 1, "[execute-plan]"),
        ("[execute-plan]\n\ntriger = '2s'", "execute-plan has no option 'triger'", 3, "checkpoint, conf"),
        ("[execute-plan]\ntrigger = 2", "wrong type of trigger", 2, "a text in quotes (2s|real-time[=1m])"),
        ("[execute-plan]\nquiet = 'yes'", "wrong type of quiet", 2, "true or false"),
        ("[execute-plan]\nmax-files-per-batch = true", "wrong type of max-files-per-batch", 2, "a whole number"),
        ("[execute-plan]\nmax-files-per-batch = 1.5", "wrong type of max-files-per-batch", 2, "a whole number"),
        ("init = 3", "wrong type of init", 1, "a text in quotes (INIT.sql), a list of these"),
        ("conf = 3", "wrong type of conf", 1, "a list of these, or a table"),
        ("[conf]\nspark.a = 1\nspark.password = ['x1y2']", "wrong type of spark.password", 3, "a number"),
        ("checkpoint = '/state'", "unknown key 'checkpoint'", 1, "an option in the table of a command"),
        ("[execute-plan]\ntrust-pickled-state = true", "cannot be set", 2, "give --trust-pickled-state"),
        ("[execute-plan]\nallow-pickled-functions = true", "cannot be set", 2, "give --allow-pickled-functions"),
    ],
)
def test_errors_name_the_line(write: Write, tmp_path: Path, text: str, message: str, line: int, remedy: str) -> None:
    with pytest.raises(ProgramError) as raised:
        write(text).defaults(COMMAND, OPTIONS)
    fault = raised.value
    assert message in fault.message and remedy in fault.remedy
    assert fault.where == f"'{tmp_path / NAME}'" + (f", line {line}" if line else "")
    assert "x1y2" not in fault.render()


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(ProgramError, match="no such config file"):
        ConfigFile(tmp_path / NAME)


def test_the_nearest_file_above_the_working_folder(
    write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    far = write("master = 'far'")
    (near := tmp_path / "a").mkdir()
    (below := near / "b").mkdir()
    monkeypatch.chdir(below)
    assert nearest_file() == far.path
    (near / NAME).touch()
    assert nearest_file() == near / NAME


def test_a_file_is_used_once_its_content_is_trusted(
    write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "home"))
    text = "master = 'mine'"
    config = write(text)
    with pytest.raises(ProgramError, match="is new or has changed") as raised:
        searched_file()
    assert "compiled-plan config --trust" in raised.value.remedy
    trust(config.path, config.text)
    trust(second := tmp_path / "second.toml", text)
    searched = searched_file()
    assert searched is not None and searched.content == {"master": "mine"}
    write("master = 'theirs'")
    with pytest.raises(ProgramError, match="is new or has changed"):
        searched_file()
    changed = write("master = 'later'")
    trust(changed.path, changed.text)
    # An earlier content is not trusted any more, that of another file still is.
    assert [is_trusted(config.path, text), is_trusted(second, text)] == [False, True]
    record = tmp_path / "home/compiled-plan/trusted"
    record.unlink()
    record.mkdir()
    with pytest.raises(ProgramError, match="cannot write the record of trusted config files"):
        trust(config.path, text)
    record.rmdir()
    record.write_bytes(b"\xff")
    with pytest.raises(ProgramError, match="the record of trusted config files is not in UTF-8"):
        searched_file()


def test_a_shared_key_has_one_meaning() -> None:
    """Options of all commands that may stand at the top of a file."""
    forms: dict[str, set[tuple[str, bool]]] = {}
    for entry in COMMANDS.values():
        command: Any = typer.main.get_command(import_module(f"compiled_plan.{entry.module}").app)
        for item in getattr(command, "params", ()):
            for name in item.opts if entry.configurable else ():
                if (key := name.removeprefix("--")) in SHARED:
                    forms.setdefault(key, set()).add((item.metavar, item.multiple))
    assert {key: len(form) for key, form in forms.items()} == dict.fromkeys(SHARED, 1)


def test_secrets_are_hidden_where_values_are_shown(write: Write) -> None:
    text = """
        master = "local[2]"
        [conf]
        spark.hadoop.fs.s3a.secret.key = "x1"
        "spark.url" = "jdbc:postgresql://h/d?user=u&password=x2"
        [execute-plan]
        job-parameter = ["token=x3", "mode=fast"]
        quiet = true
        # Not valid, but shown before that is checked.
        set = [{a.password = "x4"}, 2]
    """
    assert list(write(text).lines()) == [
        "master = 'local[2]'  (line 2)",
        "conf.spark.hadoop.fs.s3a.secret.key = ******  (line 4)",
        "conf.spark.url = 'jdbc:postgresql://h/d?user=u&password=******'  (line 5)",
        "execute-plan.job-parameter = ['token=******', 'mode=fast']  (line 7)",
        "execute-plan.quiet = True  (line 8)",
        "execute-plan.set = [{a.password = ******}, 2]  (line 10)",
    ]
