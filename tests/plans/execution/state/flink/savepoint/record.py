"""Recorder of `savepoints.tar.xz`: savepoints and checkpoints of a job in a real Flink, in each form of its state.

python -m tests.plans.execution.state.flink.savepoint.record
"""

from __future__ import annotations

import subprocess
import tarfile
import tempfile
from pathlib import Path

from tests.bench.nexmark.flink import flink_python

ARCHIVE = Path(__file__).with_name("savepoints.tar.xz")
_SCRIPT = Path(__file__).with_name("in_flink.py")
_FORMS = (
    "heap-canonical-snappy",
    "heap-native",
    "heap-native-snappy",
    "rocksdb-canonical",
    "rocksdb-native",
    "rocksdb-incremental",
    "heap-timers",
    "unaligned",
    "file-merging",
)


def main() -> None:
    """Write the archive."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "savepoints"
        subprocess.run([flink_python(), _SCRIPT, folder, *(f"{form}:50" for form in _FORMS)], check=True)
        with tarfile.open(ARCHIVE, "w:xz") as archive:
            archive.add(folder, "savepoints", filter=_anonymous)
    print(f"{ARCHIVE}: {ARCHIVE.stat().st_size} bytes")


def _anonymous(member: tarfile.TarInfo) -> tarfile.TarInfo:
    member.uname = member.gname = ""
    member.uid = member.gid = 0
    return member


if __name__ == "__main__":
    main()
