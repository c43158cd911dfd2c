"""Files of Maven Central, verified by their hash."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

import pytest

from tools import maven

ROOT = Path(__file__).resolve().parents[2]
CONTENT = b"a jar"


@pytest.fixture
def mirror(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a repository, and an empty cache."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("MAVEN_CENTRAL", (tmp_path / "mirror").as_uri())
    jar = tmp_path / "mirror/org/example/probe/1/probe-1.jar"
    jar.parent.mkdir(parents=True)
    jar.write_bytes(CONTENT)
    return jar


def test_a_file_with_the_right_hash_is_cached(mirror: Path) -> None:
    artifact = maven.artifact_of("org.example:probe:1", hashlib.sha256(CONTENT).hexdigest())
    assert maven.fetched(artifact).read_bytes() == CONTENT
    mirror.unlink()
    assert maven.fetched(artifact).read_bytes() == CONTENT


def test_a_file_with_another_hash_is_rejected_with_both_hashes(mirror: Path) -> None:
    artifact = maven.artifact_of("org.example:probe:1", "0" * 64)
    with pytest.raises(maven.FetchError) as refusal:
        maven.fetched(artifact)
    said = str(refusal.value)
    assert f"{mirror.as_uri()} is not probe-1.jar" in said
    assert f"its SHA-256 is {hashlib.sha256(CONTENT).hexdigest()}, expected {'0' * 64}" in said
    assert "try: fetch it again" in said
    assert not list(maven.cache().glob("*"))


def test_a_file_that_was_changed_in_the_cache_is_fetched_again(mirror: Path) -> None:
    artifact = maven.artifact_of("org.example:probe:1", hashlib.sha256(CONTENT).hexdigest())
    maven.fetched(artifact).write_bytes(b"forged")
    assert maven.fetched(artifact).read_bytes() == CONTENT


@pytest.mark.parametrize("name", ["drivers", "kafka", "kafka-tools", "s3"])
def test_every_jar_of_a_library_has_a_hash(name: str) -> None:
    artifacts = maven.library(name)
    assert artifacts
    assert all(re.fullmatch("[0-9a-f]{64}", artifact.sha256) for artifact in artifacts)


def test_nothing_else_fetches_from_maven() -> None:
    sources = [
        file for folder in ("tools", "tests", "plans", "service", "cli") for file in (ROOT / folder).rglob("*.py")
    ]
    asking = {str(file.relative_to(ROOT)) for file in sources if "org.apache.ivy.Main" in file.read_text()}
    assert asking == {"tests/tools/test_maven.py", "tools/services/resolve.py"}
