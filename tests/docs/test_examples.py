"""The examples of the pages work unchanged."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from tests.docs.examples import PAGES, ROOT, RUN, Block, Reader, blocks, check

BLOCKS = [block for page in PAGES for block in blocks(page)]
FOLLOWED = [page for page in PAGES if any(block.runs and block.language in RUN for block in blocks(page))]


@pytest.mark.parametrize("block", BLOCKS, ids=str)
def test_a_block_is_well_formed(block: Block) -> None:
    check(block)


@pytest.mark.wide
@pytest.mark.parametrize("page", FOLLOWED, ids=lambda page: str(page.relative_to(ROOT)))
def test_a_page_can_be_followed(
    page: Path, shared_session: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(sys, "path", [*sys.path, str(tmp_path)])
    (tmp_path / "samples").symlink_to(ROOT / "samples")
    reader = Reader(tmp_path)
    for block in blocks(page):
        if block.runs:
            reader.follow(block)


def test_a_failing_block_is_reported(tmp_path: Path) -> None:
    reader = Reader(tmp_path)
    with pytest.raises(AssertionError, match="no such program file"):
        reader.follow(Block(ROOT / "README.md", 1, "bash", "compile-plan missing.sql\n"))
    with pytest.raises(ZeroDivisionError):
        reader.follow(Block(ROOT / "README.md", 1, "python", "1 / 0\n"))
    with pytest.raises(Exception, match="--no-such"):
        check(Block(ROOT / "README.md", 1, "bash", "# not run: needs a cluster\nexecute-plan plan.json --no-such 1\n"))
    with pytest.raises(AssertionError, match="no such target"):
        check(Block(ROOT / "README.md", 1, "bash", "make tea\n"))
