"""Trust in config files that commands come across.

A config file can run code: settings of Spark, functions, init files. So a file of a checked-out repository takes effect
after its user has agreed to its content, and again after each change.
"""

from __future__ import annotations

import json
import os
from hashlib import sha256
from pathlib import Path

from compiled_plan.plans.errors import ProgramError
from compiled_plan.plans.files.faults import reading, writing

_NOUN = "record of trusted config files"


def is_trusted(path: Path, text: str) -> bool:
    """Return True if the user trusts this content of the file."""
    return _entry(path, text) in _entries()


def trust(path: Path, text: str) -> None:
    """Record that the user trusts this content of the file, and no earlier one.

    Raises:
        ProgramError: the record cannot be written.
    """
    record = _record()
    entries = [entry for entry in _entries() if not entry.endswith(f" {_quoted(path)}")]
    with writing(record, _NOUN, ProgramError):
        record.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        new = record.with_name(f"{record.name}.{os.getpid()}")
        new.write_text("".join(f"{entry}\n" for entry in (*entries, _entry(path, text))), encoding="utf-8")
        new.replace(record)


def _record() -> Path:
    """The file with a line for each trusted file: the hash of its content, and its path."""
    folder = os.environ.get("XDG_CONFIG_HOME", "")
    return Path(folder or Path.home() / ".config") / "compiled-plan" / "trusted"


def _entries() -> list[str]:
    record = _record()
    if not record.is_file():
        return []
    with reading(record, _NOUN, ProgramError):
        return record.read_text(encoding="utf-8").splitlines()


def _entry(path: Path, text: str) -> str:
    return f"{sha256(text.encode()).hexdigest()} {_quoted(path)}"


def _quoted(path: Path) -> str:
    """The path on one line."""
    return json.dumps(str(path))
