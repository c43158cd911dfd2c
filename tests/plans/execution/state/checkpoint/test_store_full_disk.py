"""Runs with a full disk at some write of the checkpoint: a clear error, and nothing is lost once there is room."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from compiled_plan.plans.errors import CompiledPlanError
from compiled_plan.plans.execution.run import Run
from compiled_plan.plans.execution.session.options import RunOptions
from tests.plans.execution.crashing import output, program, write_input
from tests.plans.execution.disk_steps import WRITES, DiskSteps

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


class Works:
    """A program, its input, its output with enough disk space, and the number of writes of a run.

    Args:
        spark: the session.
        folder: an empty folder.
    """

    def __init__(self, spark: SparkSession, folder: Path) -> None:
        self.spark, self.folder = spark, folder
        write_input(folder, files=2)
        self.plan = program(folder)
        with pytest.MonkeyPatch.context() as patched:
            disk = DiskSteps(patched, WRITES)
            self.run(folder / "quiet")
            self.writes = disk.count
        self.expected = output(folder)
        self.clear()

    def run(self, checkpoint: Path) -> None:
        Run(self.spark, self.plan, RunOptions(checkpoint=str(checkpoint), max_files_per_batch=2)).execute()

    def clear(self) -> None:
        for name in self.expected:
            shutil.rmtree(self.folder / name, ignore_errors=True)

    def fails_and_goes_on(self, checkpoint: Path, room: Callable[[], None]) -> bool:
        """Run into the full disk, and again with room; True if the disk was full."""
        self.clear()
        failed = False
        try:
            self.run(checkpoint)
        except CompiledPlanError as fault:
            failed = True
            assert "no space left on device" in str(fault).lower(), fault
            assert "free some space" in fault.remedy, fault
        room()
        if failed:
            self.run(checkpoint)
        assert output(self.folder) == self.expected
        return failed


@pytest.fixture(scope="module")
def works(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Works:
    return Works(spark, tmp_path_factory.mktemp("works"))


@pytest.mark.wide
@pytest.mark.parametrize("parts", [[0.1, 0.9], pytest.param([at / 20 for at in range(20)], marks=pytest.mark.deep)])
def test_a_full_disk_at_a_write(
    works: Works, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, parts: list[float]
) -> None:
    """After a part of a run's writes: at the start, and in a micro-batch."""
    disk = DiskSteps(monkeypatch, WRITES, no_space)
    for free in sorted({int(part * works.writes) for part in parts}):
        disk.allow(free)
        assert works.fails_and_goes_on(tmp_path / f"checkpoint-{free}", disk.allow)


def no_space() -> OSError:
    return OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.fixture
def small(tmp_path: Path) -> Iterator[Path]:
    """A file system of 8 MB."""
    folder = tmp_path / "small"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", str(folder)]
    if shutil.which("mount") is None or subprocess.run(mount, check=False, capture_output=True).returncode:
        pytest.skip("nobody may mount a file system here")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


def full_at(works: Works, small: Path, pages: Iterable[int]) -> int:
    """The number of runs that met a full disk, by the free pages at the start."""
    met = 0
    filler = small / "filler"
    for free in pages:
        filler.write_bytes(bytes(os.statvfs(small).f_bavail * 4096 - free * 4096))
        met += works.fails_and_goes_on(small / "checkpoint", lambda: filler.unlink())
        shutil.rmtree(small / "checkpoint")
    return met


@pytest.mark.wide
def test_a_small_file_system(works: Works, small: Path) -> None:
    assert full_at(works, small, [0, 40]) == 2


@pytest.mark.deep
def test_a_small_file_system_at_each_page(works: Works, small: Path) -> None:
    met = full_at(works, small, range(130))
    print(f"{met} of 130 runs met a full disk")
    assert met > 70
