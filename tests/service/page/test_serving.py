from __future__ import annotations

import hashlib
import re
import shutil
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from compiled_plan.service.page import FOLDER, serving

ROWS = re.findall(
    r"^\| `([^`]+)` \| ([^|]+) \| ([^|]+) \|.*\| `([0-9a-f]{64})` \|$",
    (FOLDER / "vendor/VENDORED.md").read_text(encoding="utf-8"),
    re.MULTILINE,
)


@pytest.fixture
def release(client: TestClient) -> str:
    """The folder of scripts and styles in the page's text."""
    (path,) = re.findall(r'src="(page/\w+/)js/main\.js"', client.get("http://127.0.0.1/").text)
    return f"/{path}"


def test_files_are_served_with_a_strict_policy(client: TestClient, release: str) -> None:
    types = {"/": "text/html", f"{release}js/main.js": "text/javascript", f"{release}css/base.css": "text/css"}
    for path, media in (types | {"/icon.svg": "image/svg"}).items():
        answer = client.get(f"http://127.0.0.1{path}")
        assert answer.status_code == 200
        assert answer.headers["content-type"].startswith(media)
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy and "unsafe" not in policy
        assert "http" not in policy


def test_browsers_keep_files_until_a_file_changes(
    client: TestClient, release: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert "immutable" in client.get(f"http://127.0.0.1{release}js/main.js").headers["cache-control"]
    page = client.get("http://127.0.0.1/")
    assert page.headers["cache-control"] == "no-cache"
    assert client.get("http://127.0.0.1/").text == page.text
    shutil.copytree(FOLDER, tmp_path / "page")
    (tmp_path / "page/js/main.js").write_text("")
    monkeypatch.setattr(serving, "FOLDER", tmp_path / "page")
    assert release not in client.get("http://127.0.0.1/").text


@pytest.mark.sampled(3)
@pytest.mark.parametrize("path", ["serving.py", "__init__.py", "js/../serving.py", "css/..%2fserving.py", "js", "x"])
def test_other_files_are_not_served(client: TestClient, release: str, path: str) -> None:
    for folder in ("/", "/js/", release):
        assert client.get(f"http://127.0.0.1{folder}{path}", follow_redirects=True).status_code == 404


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
