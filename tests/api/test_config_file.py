"""The config file: search, values by the declarations of options, errors with file and line."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from compiled_plan.api.config_file import NAME, ConfigFile, Declared, searched_file
from compiled_plan.plans.errors import ProgramError

OPTIONS = (
    Declared("checkpoint", str, False, "DIR"),
    Declared("conf", str, True, "K=V"),
    Declared("init", str, True, "INIT.sql"),
    Declared("functions-from", str, True, "MODULE[=FOLDERS]|FILE.jar|PREFIX"),
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
        "master = 'local[1]'\ncheckpoint = '/all'\n[execute-plan]\ncheckpoint = '/one'\n[diff-plan]\nall = true\n"
    )
    defaults = config.defaults(COMMAND, OPTIONS)
    # `master` is no option of this command.
    assert {key: (default.value, default.line) for key, default in defaults.items()} == {"checkpoint": ("/one", 4)}
    assert config.defaults("compile-plan", OPTIONS)["checkpoint"].value == "/all"


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
        ("[execute-plan]\ntrust-pickled-state = true", "cannot be set", 2, "give --trust-pickled-state"),
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
    write("master = 'far'")
    (near := tmp_path / "a").mkdir()
    (below := near / "b").mkdir()
    monkeypatch.chdir(below)
    config = searched_file()
    assert config is not None and config.content["master"] == "far"
    (near / NAME).write_text("master = 'near'")
    config = searched_file()
    assert config is not None and config.content["master"] == "near"


def test_a_file_of_another_user_is_refused(write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write("master = 'theirs'").path
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(os, "getuid", lambda: path.stat().st_uid + 1)
    if path.stat().st_uid == 0:
        os.chown(path, 12345, -1)
    with pytest.raises(ProgramError, match="belongs to another user") as raised:
        searched_file()
    assert f"--config {path}" in raised.value.remedy


def test_secrets_are_hidden_where_values_are_shown(write: Write) -> None:
    text = """
        master = "local[2]"
        [conf]
        spark.hadoop.fs.s3a.secret.key = "x1"
        "spark.url" = "jdbc:postgresql://h/d?user=u&password=x2"
        [execute-plan]
        job-parameter = ["token=x3", "mode=fast"]
        quiet = true
    """
    assert list(write(text).lines()) == [
        "master = 'local[2]'  (line 2)",
        "conf.spark.hadoop.fs.s3a.secret.key = ******  (line 4)",
        "conf.spark.url = 'jdbc:postgresql://h/d?user=u&password=******'  (line 5)",
        "execute-plan.job-parameter = ['token=******', 'mode=fast']  (line 7)",
        "execute-plan.quiet = True  (line 8)",
    ]
