"""The static site of the documents: it builds without a warning, and loads nothing from another host."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.wide

ROOT = Path(__file__).parents[2]
#: Attributes by which a page loads a resource, as opposed to a link that a reader follows.
_LOADED = re.compile(r"<(?:script|link|img|iframe|source)\b[^>]*?\b(?:src|href)=\"([^\"]+)\"")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--site-dir", str(folder)]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    built = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    return folder


def test_pages_load_nothing_from_other_hosts(site: Path) -> None:
    pages = list(site.rglob("*.html"))
    assert len(pages) > 40
    loaded = {(page, target) for page in pages for target in _LOADED.findall(page.read_text(encoding="utf-8"))}
    missing = {
        (str(page.relative_to(site)), target)
        for page, target in loaded
        if page.name != "404.html"  # Its paths start at a server's root.
        and not target.startswith(("data:", "#"))
        and not (page.parent / target.partition("#")[0].partition("?")[0]).exists()
    }
    assert missing == set()
    assert not any("//" in target for _, target in loaded)
    assert any(target.endswith("iframe-worker.js") for _, target in loaded)


def test_every_public_name_has_its_entry(site: Path) -> None:
    import compiled_plan

    text = (site / "reference/python-api.html").read_text(encoding="utf-8")
    missing = {name for name in compiled_plan.__all__ if not re.search(rf'id="compiled_plan\.[\w.]+\.{name}"', text)}
    assert missing == set()
