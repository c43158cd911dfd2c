"""Several files in one that people read: Go's txtar format, where a line `-- name --` begins a file."""

from __future__ import annotations

import hashlib
import re
import tempfile
from collections.abc import Mapping
from pathlib import Path

_MARKER = re.compile(r"^-- (\S+) --\n", re.MULTILINE)
BUILD = Path(__file__).parents[2] / "build"


def parse(text: str) -> dict[str, str]:
    """The files of an archive by their names."""
    _, *parts = _MARKER.split(text)
    return dict(zip(parts[::2], parts[1::2], strict=True))


def archive(files: Mapping[str, str]) -> str:
    """Write files as an archive; each ends with a newline."""
    return "".join(f"-- {name} --\n{text.removesuffix(chr(10))}\n" for name, text in files.items())


def unpacked(folder: Path) -> Path:
    """A copy of a folder in `build/` with a folder in place of each archive `*.txtar`; made once for its content."""
    archives = sorted(folder.rglob("*.txtar"))
    texts = {path.relative_to(folder).with_suffix(""): path.read_text(encoding="utf-8") for path in archives}
    digest = hashlib.sha256(repr(texts).encode()).hexdigest()[:16]
    place = BUILD / f"{folder.name}-{digest}"
    if not place.exists():
        BUILD.mkdir(exist_ok=True)
        part = Path(tempfile.mkdtemp(prefix=f"{folder.name}-", dir=BUILD))
        for name, text in texts.items():
            for file, content in parse(text).items():
                (part / name / file).parent.mkdir(parents=True, exist_ok=True)
                (part / name / file).write_text(content, encoding="utf-8")
        try:
            part.rename(place)
        except OSError:  # Another process was first.
            assert place.exists()
    return place
