"""Downloads from Maven Central: pinned versions with verified SHA-256, in the user's cache folder.

`MAVEN_CENTRAL` sets a mirror. Standard library only: the wheel's build hook loads this file by its path.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
import urllib.request
from dataclasses import dataclass
from pathlib import Path

_CENTRAL = "https://repo1.maven.org/maven2"


class FetchError(Exception):
    """A failed download; the message has the remedy."""


@dataclass(frozen=True, slots=True)
class Artifact:
    """A file of Maven Central.

    Args:
        group: such as `org.postgresql`.
        name: such as `postgresql`.
        version: such as `42.7.14`.
        sha256: of its content, in hexadecimal.
        suffix: the part of the file name after the version.
    """

    group: str
    name: str
    version: str
    sha256: str
    suffix: str = ".jar"

    @property
    def file(self) -> str:
        return f"{self.name}-{self.version}{self.suffix}"

    @property
    def path(self) -> str:
        """The path in a repository."""
        return f"{self.group.replace('.', '/')}/{self.name}/{self.version}/{self.file}"


def artifact_of(coordinates: str, sha256: str) -> Artifact:
    """The jar of `group:name:version`, with its SHA-256 checksum."""
    group, name, version = coordinates.split(":")
    return Artifact(group, name, version, sha256)


def cache() -> Path:
    """The download folder, shared by all checkouts of a user."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "compiled-plan"


def fetched(artifact: Artifact) -> Path:
    """Download an artifact, or return its cached file.

    Raises:
        FetchError: the download fails, or its hash is wrong.
    """
    file = cache() / artifact.file
    if file.is_file() and hashlib.sha256(file.read_bytes()).hexdigest() == artifact.sha256:
        return file
    url = f"{os.environ.get('MAVEN_CENTRAL', _CENTRAL).rstrip('/')}/{artifact.path}"
    try:
        with urllib.request.urlopen(url, timeout=60) as answer:
            content = answer.read()
    except OSError as error:
        raise FetchError(f"cannot fetch {url}: {error}\n  try: put the file into {cache()}") from error
    if (actual := hashlib.sha256(content).hexdigest()) != artifact.sha256:
        raise FetchError(
            f"{url} is not {artifact.file}: its SHA-256 is {actual}, expected {artifact.sha256}\n"
            "  try: fetch it again, without a mirror (MAVEN_CENTRAL); if it stays so, do not use it, and report it"
        )
    replace(file, content)
    return file


def replace(path: Path, content: bytes) -> None:
    """Replace a file atomically: readers find the old content or the new."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as part:
        part.write(content)
    Path(part.name).replace(path)
