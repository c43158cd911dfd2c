"""Debian packages: installed without a question only in CI."""

from __future__ import annotations

import contextlib
import os
import pty
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def machine(tmp_path: Path) -> Path:
    """A folder of programs with an apt-get that records its arguments."""
    (tmp_path / "apt-get").write_text(f'#!/bin/sh\necho "$@" >> {tmp_path}/done\n')
    (tmp_path / "apt-get").chmod(0o755)
    return tmp_path


def install(machine: Path, stdin: int, stderr: int, **variables: str) -> int:
    inherited = {name: value for name, value in os.environ.items() if name not in ("CI", "INSTALL_PACKAGES")}
    environment = inherited | {"PATH": f"{machine}:{os.environ['PATH']}"} | variables
    command = ["bash", "-euc", f"source {ROOT}/tools/apt.sh; apt_install thing; echo went on"]
    return subprocess.Popen(command, stdin=stdin, stdout=subprocess.DEVNULL, stderr=stderr, env=environment).wait(60)


def everything_written(master: int) -> bytes:
    """The output of a terminal whose other end is closed; it arrives in pieces of any size."""
    output = b""
    with contextlib.suppress(OSError):  # EIO is the end of a terminal's output
        while piece := os.read(master, 10_000):
            output += piece
    os.close(master)
    return output


def installed(machine: Path) -> bool:
    return (machine / "done").is_file() and "install -y -qq --no-install-recommends thing" in (
        machine / "done"
    ).read_text()


@pytest.mark.parametrize("variables", [{"CI": "true"}, {"CI": "1"}, {"INSTALL_PACKAGES": "yes"}])
def test_ci_installs_without_a_question(machine: Path, variables: dict[str, str]) -> None:
    assert install(machine, subprocess.DEVNULL, subprocess.DEVNULL, **variables) == 0
    assert installed(machine)


@pytest.mark.parametrize("variables", [{}, {"CI": "false"}, {"CI": "true", "INSTALL_PACKAGES": "no"}])
def test_without_a_terminal_the_command_is_named(machine: Path, variables: dict[str, str]) -> None:
    with (machine / "said").open("wb") as said:
        assert install(machine, subprocess.DEVNULL, said.fileno(), **variables) == 1
    assert not (machine / "done").exists()
    assert "try: apt-get install thing, or set INSTALL_PACKAGES=yes" in (machine / "said").read_text()


@pytest.mark.parametrize(("answer", "yes"), [(b"y\n", True), (b"n\n", False), (b"\n", False)])
def test_a_user_is_asked_first(machine: Path, answer: bytes, yes: bool) -> None:
    master, slave = pty.openpty()
    os.write(master, answer)
    assert install(machine, slave, slave) == (0 if yes else 1)
    os.close(slave)
    assert b"install thing with apt-get, as root? [y/N]" in everything_written(master)
    assert installed(machine) == yes


def test_no_other_script_installs_packages() -> None:
    scripts = [*ROOT.glob("tools/**/*.sh"), *ROOT.glob("samples/**/*.sh"), ROOT / "Makefile"]
    assert len(scripts) > 5
    others = [
        str(script.relative_to(ROOT)) for script in scripts if re.search(r"apt-get install +-", script.read_text())
    ]
    assert others == ["tools/apt.sh"], "call apt_install"
