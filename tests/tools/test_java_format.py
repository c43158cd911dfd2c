"""The Java formatter: findings, cache of checked files, pinned version."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools import java_format

UNFORMATTED = "class One {\n    int value;\n}\n"
FORMATTED = "class One {\n  int value;\n}\n"

pytestmark = pytest.mark.slow


@pytest.fixture
def source(tmp_path: Path) -> Path:
    file = tmp_path / "One.java"
    file.write_text(UNFORMATTED, encoding="utf-8")
    return file


@pytest.mark.wide
def test_an_unformatted_file_is_reported_until_formatted(source: Path, tmp_path: Path) -> None:
    known = tmp_path / "known"
    assert java_format.unformatted([source], known) == [source]
    assert java_format.unformatted([source], known) == [source]
    java_format.write([source])
    assert source.read_text(encoding="utf-8") == FORMATTED
    assert java_format.unformatted([source], known) == []


def test_a_formatted_file_is_not_checked_again(source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    known = tmp_path / "known"
    source.write_text(FORMATTED, encoding="utf-8")
    assert java_format.unformatted([source], known) == []

    def no_java(*_: object) -> str:
        raise AssertionError("started Java")

    monkeypatch.setattr(java_format, "_run", no_java)
    assert java_format.unformatted([source], known) == []
    source.write_text(UNFORMATTED, encoding="utf-8")
    with pytest.raises(AssertionError, match="started Java"):
        java_format.unformatted([source], known)


def test_a_file_that_is_not_java_is_named(source: Path, tmp_path: Path) -> None:
    source.write_text("class {", encoding="utf-8")
    with pytest.raises(java_format.FormatterError, match=r"One\.java"):
        java_format.unformatted([source], tmp_path / "known")


def test_a_jar_with_another_hash_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mirror = tmp_path / "mirror"
    jar = mirror / java_format.FORMATTER.path
    jar.parent.mkdir(parents=True)
    jar.write_bytes(b"not the formatter")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("MAVEN_CENTRAL", mirror.as_uri())
    with pytest.raises(java_format.FormatterError, match=r"its SHA-256 is .*, expected"):
        java_format.formatter()
    monkeypatch.setenv("MAVEN_CENTRAL", (tmp_path / "nowhere").as_uri())
    with pytest.raises(java_format.FormatterError, match="try: put the file into"):
        java_format.formatter()
