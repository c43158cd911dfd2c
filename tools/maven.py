"""Files of Maven Central: a pinned version, its SHA-256 checked, kept in the user's cache folder.

`MAVEN_CENTRAL` names a mirror.
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
    """A file that cannot be had; the message says what to do."""


@dataclass(frozen=True, slots=True)
class Artifact:
    """A file of Maven Central.

    Args:
        group: such as `org.postgresql`.
        name: such as `postgresql`.
        version: such as `42.7.14`.
        sha256: of its content, in hexadecimal.
        suffix: what its name has behind the version.
    """

    group: str
    name: str
    version: str
    sha256: str
    suffix: str = ".jar"

    @property
    def file(self) -> str:
        """Its name."""
        return f"{self.name}-{self.version}{self.suffix}"

    @property
    def path(self) -> str:
        """Where it is in a repository."""
        return f"{self.group.replace('.', '/')}/{self.name}/{self.version}/{self.file}"


#: Drivers of databases that tests talk to.
POSTGRES_DRIVER = Artifact(
    "org.postgresql", "postgresql", "42.7.14", "73914527305a40cce504b0d3d90b23caf565136912d607ae8ae7c5895512332c"
)
SQLITE_DRIVER = Artifact(
    "org.xerial", "sqlite-jdbc", "3.54.1.0", "f8dce420a6016278497f4f0560f65602b9db858de141b541cf91a4644ebe4639"
)


def cache() -> Path:
    """The folder of what was fetched, for all checkouts of a user."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "compiled-plan"


def fetched(artifact: Artifact) -> Path:
    """The file, fetched once.

    Raises:
        FetchError: it cannot be fetched, or what was fetched is not it.
    """
    found = cache() / artifact.file
    if found.is_file() and hashlib.sha256(found.read_bytes()).hexdigest() == artifact.sha256:
        return found
    url = f"{os.environ.get('MAVEN_CENTRAL', _CENTRAL).rstrip('/')}/{artifact.path}"
    try:
        with urllib.request.urlopen(url, timeout=60) as answer:
            content = answer.read()
    except OSError as error:
        raise FetchError(f"cannot fetch {url}: {error}\n  try: put the file into {cache()}") from error
    if hashlib.sha256(content).hexdigest() != artifact.sha256:
        raise FetchError(f"{url} is not {artifact.name} {artifact.version}: its SHA-256 differs")
    replace(found, content)
    return found


def replace(path: Path, content: bytes) -> None:
    """Write a file so that it is never seen in part."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as part:
        part.write(content)
    Path(part.name).replace(path)
