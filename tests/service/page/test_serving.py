from __future__ import annotations

import hashlib
import re

import pytest
from fastapi.testclient import TestClient

from compiled_plan.service.page import FOLDER

ROWS = re.findall(
    r"^\| `([^`]+)` \| ([^|]+) \| ([^|]+) \|.*\| `([0-9a-f]{64})` \|$",
    (FOLDER / "vendor/VENDORED.md").read_text(encoding="utf-8"),
    re.MULTILINE,
)


@pytest.mark.parametrize(
    ("path", "media"),
    [("/", "text/html"), ("/js/main.js", "text/javascript"), ("/css/base.css", "text/css"), ("/icon.svg", "image/svg")],
)
def test_files_are_served_with_a_strict_policy(client: TestClient, path: str, media: str) -> None:
    answer = client.get(f"http://127.0.0.1{path}")
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith(media)
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy and "unsafe" not in policy
    assert "http" not in policy


@pytest.mark.parametrize(
    "path", ["/serving.py", "/__init__.py", "/js/../serving.py", "/css/..%2fserving.py", "/js", "/x"]
)
def test_other_files_are_not_served(client: TestClient, path: str) -> None:
    assert client.get(f"http://127.0.0.1{path}", follow_redirects=True).status_code == 404


def test_markup_has_no_inline_script_or_style() -> None:
    html = (FOLDER / "index.html").read_text(encoding="utf-8")
    assert not re.search(r"<script(?![^>]*src=)|<style|\son\w+=|\sstyle=", html)
    templates = [path.read_text(encoding="utf-8") for path in (FOLDER / "js").rglob("*.js")]
    assert not any(re.search(r"\sstyle=[\"'$]", text) for text in templates)


def test_files_reference_no_other_host() -> None:
    ours = [
        path for path in FOLDER.rglob("*") if path.suffix in (".js", ".css", ".html") and "vendor" not in path.parts
    ]
    assert ours
    assert [path.name for path in ours if re.search(r"https?://|@import|url\(", path.read_text(encoding="utf-8"))] == []


def test_vendored_files_have_the_released_hashes() -> None:
    listed = {name: digest for name, _, _, digest in ROWS}
    there = {
        path.relative_to(FOLDER / "vendor").as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in (FOLDER / "vendor").rglob("*")
        if path.suffix in (".js", ".css")
    }
    assert listed == there
    assert all((FOLDER / "vendor" / name).parent.joinpath("LICENSE").exists() for name in listed)


def test_files_are_small() -> None:
    ours = [path for folder in ("js", "css") for path in (FOLDER / folder).rglob("*.*")]
    lines = {path.name: len(path.read_text(encoding="utf-8").splitlines()) for path in ours}
    assert {name: count for name, count in lines.items() if count > 300} == {}
