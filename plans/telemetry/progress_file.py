"""The messages of a run as lines of a file, numbered consecutively across starts."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from logging import INFO, LogRecord
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import Any

from compiled_plan.plans.errors import ExecutionError
from compiled_plan.plans.files.faults import writing
from compiled_plan.plans.telemetry.listeners import Message

#: The size in bytes at which a file is rotated, and the number of rotated files, FILE.1 and so on.
LENGTH, KEPT = 16 * 2**20, 3
_TAIL = 1 << 16


def tap_files(path: Path) -> tuple[Path, Path]:
    """The files beside a progress file for a request to show rows, and for its answer; see `cli.actions.tapping`."""
    return path.with_name(f"{path.name}.tap"), path.with_name(f"{path.name}.tapped")


class ProgressFile:
    """Appends messages to a file, with consecutive numbers as `seq`.

    Raises ExecutionError if the file cannot be written.
    """

    def __init__(self, path: Path, length: int = LENGTH, retained: int = KEPT) -> None:
        with writing(path, "progress file", ExecutionError):
            self._next = last_number(path) + 1
            self._handler = RotatingFileHandler(path, maxBytes=length, backupCount=retained, encoding="utf-8")
        # A partial line of a killed process stays a line of its own, which readers skip.
        if path.stat().st_size and not _ends_a_line(path):
            with path.open("a", encoding="utf-8") as file:
                file.write("\n")

    def tell(self, message: Message) -> None:
        text = json.dumps({"seq": self._next, **message})
        self._next += 1
        self._handler.emit(LogRecord("", INFO, "", 0, text, None, None))

    def close(self) -> None:
        self._handler.close()


def _ends_a_line(path: Path) -> bool:
    with path.open("rb") as file:
        file.seek(-1, os.SEEK_END)
        return file.read(1) == b"\n"


def files_of(path: Path) -> list[Path]:
    """The file and its rotated predecessors, oldest first."""
    rotated = []
    number = 1
    while (file := path.with_name(f"{path.name}.{number}")).exists():
        rotated.append(file)
        number += 1
    return [*reversed(rotated), *([path] if path.exists() else [])]


def last_number(path: Path) -> int:
    """The number of the last message; 0 before the first."""
    return next((int(message["seq"]) for file in reversed(files_of(path)) for message in _backwards(file)), 0)


def last_messages(path: Path) -> Iterator[dict[str, Any]]:
    """The messages of a file and its rotated predecessors, newest first."""
    for file in reversed(files_of(path)):
        yield from _backwards(file)


def _backwards(path: Path) -> Iterator[dict[str, Any]]:
    """The messages of a file, newest first; read from its end."""
    try:
        file = path.open("rb")
    except FileNotFoundError:
        return
    with file:
        end, rest = file.seek(0, os.SEEK_END), b""
        while end > 0:
            begin = max(0, end - _TAIL)
            file.seek(begin)
            lines = (file.read(end - begin) + rest).split(b"\n")
            # The first line may have begun in the previous chunk.
            rest = lines.pop(0) if begin else b""
            for line in reversed(lines):
                message = _message(line)
                if message is not None:
                    yield message
            end = begin


def _message(line: bytes) -> dict[str, object] | None:
    """The message of a line; None for a partial line."""
    try:
        message = json.loads(line)
    except ValueError:
        return None
    return message if isinstance(message, dict) and isinstance(message.get("seq"), int) else None
