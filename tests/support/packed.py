"""Fixture folders packed into one file: `.txtar`, Go's format for files that people read, or `.tar.xz`."""

from __future__ import annotations

import hashlib
import re
import shutil
import tarfile
import tempfile
from collections.abc import Mapping
from pathlib import Path

#: The header line of a file: `-- name --`.
_MARKER = re.compile(r"^-- (\S+) --\n", re.MULTILINE)
BUILD = Path(__file__).parents[2] / "build"


def parse(text: str) -> dict[str, str]:
    """The files of a `.txtar` by name."""
    _, *parts = _MARKER.split(text)
    return dict(zip(parts[::2], parts[1::2], strict=True))


def archive(files: Mapping[str, str]) -> str:
    """Write files as a `.txtar`; each ends with a newline."""
    return "".join(f"-- {name} --\n{text.removesuffix(chr(10))}\n" for name, text in files.items())


def pack(folder: Path, file: Path) -> None:
    """Write the files of a folder as a `.tar.xz`."""
    with tarfile.open(file, "w:xz", preset=9) as target:
        for path in sorted(folder.rglob("*")):
            target.add(path, path.relative_to(folder), recursive=False)


def unpack(file: Path, folder: Path) -> None:
    """Extract a packed folder into a folder."""
    if file.suffix == ".xz":
        with tarfile.open(file) as source:
            source.extractall(folder, filter="data")
        return
    for name, text in parse(file.read_text(encoding="utf-8")).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")


def unpacked(folder: Path) -> Path:
    """A folder in `build/` with the extracted files of another folder at the same paths; made once per content."""
    files = sorted([*folder.rglob("*.txtar"), *folder.rglob("*.tar.xz")])
    digest = hashlib.sha256()
    for file in files:
        digest.update(f"{file.relative_to(folder)}\n".encode() + file.read_bytes())
    place = BUILD / f"{folder.name}-{digest.hexdigest()[:16]}"
    if not place.exists():
        BUILD.mkdir(exist_ok=True)
        part = Path(tempfile.mkdtemp(prefix=f"{folder.name}-", dir=BUILD))
        for file in files:
            unpack(
                file, part / file.parent.relative_to(folder) / file.name.removesuffix(".txtar").removesuffix(".tar.xz")
            )
        try:
            part.rename(place)
        except OSError:  # another process was faster
            shutil.rmtree(part)
            assert place.exists()
    return place
