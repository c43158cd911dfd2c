from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from compiled_plan.plans.errors import ExecutionError
from compiled_plan.plans.secrets.sources import source_of, source_of_command, sources_of, written


def file_of(tmp_path: Path, text: str, mode: int = 0o600) -> str:
    file = tmp_path / ".env"
    file.write_text(text, encoding="utf-8")
    file.chmod(mode)
    return f"file:{file}"


def test_only_variables_with_the_prefix_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "key")
    monkeypatch.setenv("COMPILED_PLAN_SECRET_DB_PASS", "p")
    (default,) = sources_of(())
    assert (default.get("db.pass"), default.get("DB-PASS"), default.get("AWS_SECRET_ACCESS_KEY")) == ("p", "p", None)
    assert source_of("env:").get("AWS_SECRET_ACCESS_KEY") == "key", "the user has allowed it"
    assert source_of("env:AWS_").get("secret_access_key") == "key"


def test_a_file_of_a_folder_loses_one_line_end(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("v\n\n")
    (tmp_path / "b").write_bytes(b"v\r\n")
    (tmp_path / "folder").mkdir()
    source = source_of(f"dir:{tmp_path}")
    assert [source.get(name) for name in ("a", "b", "c", "folder")] == ["v\n", "v", None, None]


def test_a_missing_folder_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ExecutionError, match="no folder of secrets"):
        source_of(f"dir:{tmp_path}/none").get("a")


def test_lines_of_a_file(tmp_path: Path) -> None:
    lines = "# a comment\n\nA=x y # no comment\nexport B = 'it''s'\nC=\"a\\\"b\\n\\\\\"\nD=\n"
    source = source_of(file_of(tmp_path, lines.replace("'it''s'", "'s p'")))
    values = [source.get(name) for name in ("A", "B", "C", "D", "E")]
    assert values == ["x y # no comment", "s p", 'a"b\n\\', "", None]


@pytest.mark.parametrize("mode", [0o644, 0o640, 0o604, 0o620])
def test_a_file_that_others_may_access_is_refused(tmp_path: Path, mode: int) -> None:
    with pytest.raises(ExecutionError, match=f"its mode is {mode:04o}"):
        source_of(file_of(tmp_path, "A=S3CRET", mode)).get("A")


@pytest.mark.parametrize("line", ["A", 'A="S3CRET', "A='S3CRET' x", "a b=S3CRET", "=S3CRET"])
def test_a_malformed_line_is_named_without_its_content(tmp_path: Path, line: str) -> None:
    with pytest.raises(ExecutionError, match="line 2") as refused:
        source_of(file_of(tmp_path, f"B=x\n{line}\n")).get("B")
    assert "S3CRET" not in str(refused.value)


def test_what_is_written_is_read(tmp_path: Path) -> None:
    values = {"a": 'x"\\n\n\r\t ä', "B.c-d": "'", "E": ""}
    source = source_of(file_of(tmp_path, written(values).decode()))
    assert {name: source.get(name) for name in values} == values


def test_a_descriptor_is_read_once(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    os.write(writing, written({"A": "x", "B": "y"}))
    os.close(writing)
    source = source_of(f"fd:{reading}")
    assert (source.get("A"), source.get("B"), source.get("C")) == ("x", "y", None)
    with pytest.raises(ExecutionError, match="file descriptor"):
        source_of(f"fd:{reading}").get("A")


def test_a_command_gets_the_name_and_no_shell() -> None:
    program = "import sys; print(sys.argv[1:]) if sys.argv[1] != 'none' else sys.exit(1)"
    source = source_of(f'command:{sys.executable} -c "{program}"')
    assert source.get("A") == "['A']"
    assert source.get("none") is None
    assert source_of(f'command:{sys.executable} -c "{program}" x/{{name}} $HOME').get("A") == "['x/A', '$HOME']"


def test_a_command_that_is_missing_or_slow() -> None:
    with pytest.raises(ExecutionError, match="cannot run the command '/nope'"):
        source_of("command:/nope").get("A")
    with pytest.raises(ExecutionError, match="did not return the secret A"):
        source_of_command(f'{sys.executable} -c "import time; time.sleep(9)"', seconds=0.05).get("A")


@pytest.mark.parametrize(
    "text", ["", "x", "env", "dir:", "file:", "fd:x", "fd:-1", "http://x", "command:", "command:'"]
)
def test_invalid_sources(text: str) -> None:
    with pytest.raises(ExecutionError):
        source_of(text)
