"""Texts that may be paths, and what Hadoop's own classes make of them."""

from __future__ import annotations

import random
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import pyspark

_JARS = Path(pyspark.__file__).parent / "jars"
_PROGRAM = Path(__file__).parent / "java" / "HadoopPaths.java"
_STARTS = ["/", "file:", "file:/", "file://", "file:///", "file:////", "FILE:/", "s3://b", "s3a:/", "hdfs://h:1", "//"]
_STARTS += ["", "", "C:", "/C:", "a:b", "1a:", "-:", "!#x:", "#?:", "[::1]", "//[", "u:p@h", "file://h", "file:C:\\"]
_PARTS = [
    "/",
    "/",
    "/",
    "/",
    "//",
    "/../",
    "/..",
    "..",
    ".",
    "/./",
    "...",
    "a",
    "b c",
    "link",
    "up",
    "out",
    "data",
    "x",
]
_PARTS += [
    "%2F",
    "%2e",
    "%2e%2e",
    "%",
    "%zz",
    "%25",
    "#",
    "?",
    "#x",
    "?q=1",
    "\\",
    "\\..",
    "/c:\\..\\..\\etc",
    "*",
    "[ab]",
]
_PARTS += ["{a,b}", "{.,b/c}", "~", "é", "e\u0301", "\u00a0", "\u0080", "\u0085", "\u2028", "\ufeff", "\U0001f600"]
_PARTS += [
    "\t",
    "\n",
    "\x00",
    "\x01",
    "\x7f",
    " ",
    "@",
    "&",
    ";",
    "=",
    "+",
    "$",
    "!",
    "'",
    '"',
    "<",
    "|",
    "^",
    "`",
    ":",
]


class Answer(NamedTuple):
    """A path as Hadoop has it.

    Args:
        scheme, authority, path: its parts; empty if it has none.
        file: the local file, its links resolved; empty for another file system.
    """

    scheme: str
    authority: str
    path: str
    file: str


def generated(count: int, seed: int, starts: Sequence[str] = ()) -> list[str]:
    """Random texts; with `starts`, half of them begin with one of these."""
    chance = random.Random(seed)
    texts: dict[str, None] = {}
    while len(texts) < count:
        start = chance.choice(starts if starts and chance.random() < 0.5 else _STARTS)
        texts[start + "".join(chance.choices(_PARTS, k=chance.randint(0, 8)))] = None
    return list(texts)


def answers(texts: Sequence[str]) -> list[Answer | None]:
    """Per text, what Hadoop makes of it; None if it refuses."""
    lines = "".join(f"={text.encode('utf-16-be', 'surrogatepass').hex()}\n" for text in texts)
    command = ["java", "-cp", f"{_JARS}/*", str(_PROGRAM)]
    done = subprocess.run(command, input=lines, capture_output=True, text=True, check=True)
    return [Answer(*map(_text, line.split())) if line else None for line in done.stdout.splitlines()]


def _text(digits: str) -> str:
    return bytes.fromhex(digits[1:]).decode("utf-16-be", "surrogatepass")
