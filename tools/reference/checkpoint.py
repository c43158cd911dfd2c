"""Formats of operators' state in checkpoints, from the kernel's list."""

from __future__ import annotations

import re
from pathlib import Path

from tools.reference.markdown import code, table

ROOT = Path(__file__).resolve().parent.parent.parent
_KINDS = ROOT / "kernel/src/main/java/org/compiledplan/kernel/operators/base/StateKind.java"


def state_formats() -> str:
    """The formats of operators' state with their versions."""
    versions = re.findall(r"^  ([A-Z_]+)\((\d+)\)[,;]", _KINDS.read_text(encoding="utf-8"), re.MULTILINE)
    return table(
        ("state of", "version"), ((code(name.lower().replace("_", "-")), version) for name, version in versions)
    )
