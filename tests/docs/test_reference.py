"""The pages: their tables match the declarations, and their links resolve."""

from __future__ import annotations

import re
import tomllib
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.support.tiers import but_wide
from tools.reference.pages import PAGES, TABLES, current, names

ROOT = Path(__file__).resolve().parent.parent.parent
FOLDERS = ("docs", "plans", "samples", "tests/plans")
WRITTEN = sorted((*ROOT.glob("*.md"), *(page for folder in FOLDERS for page in (ROOT / folder).rglob("*.md"))))
_LINK = re.compile(r"\]\((?!https?:|mailto:)([^)#\s]*)(?:#([^)\s]+))?\)")


@pytest.mark.slow
@pytest.mark.parametrize("page", but_wide(PAGES, lambda page: page.name != "limits.md"), ids=lambda page: page.name)
def test_the_tables_are_current(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert current(text) == text, "run `make docs`"


def test_the_readme_is_read_in_one_go() -> None:
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 150


def test_the_changelog_knows_the_version() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    headings = re.findall(r"^## \[(.+?)\]", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert headings[0] == "Unreleased"
    assert project["version"] in headings


def test_every_table_is_on_one_page() -> None:
    shown = [name for page in PAGES for name in names(page.read_text(encoding="utf-8"))]
    assert sorted(shown) == sorted(TABLES)


def test_a_changed_declaration_changes_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(TABLES, "formats", lambda: "| new |")
    page = next(page for page in PAGES if page.name == "connectors.md")
    assert "<!-- table: formats -->\n\n| new |\n\n<!-- end -->" in current(page.read_text(encoding="utf-8"))


@pytest.mark.parametrize("page", WRITTEN, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_resolve(page: Path) -> None:
    wrong = []
    for target, place in _LINK.findall(_without_code(page)):
        linked = (page.parent / target).resolve() if target else page
        if not linked.exists() or (place and linked.suffix == ".md" and place not in _places(linked)):
            wrong.append(f"{target}#{place}")
    assert wrong == []


@pytest.mark.parametrize("page", WRITTEN, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_named_files_and_modules_exist(page: Path) -> None:
    """Files, folders and modules of the repository."""
    text = page.read_text(encoding="utf-8")
    paths = re.findall(r"`((?:api|cli|docs|planner|plans|samples|schemas|tests|tools)/[\w/.-]*)`", text)
    assert [path for path in paths if not (ROOT / path).exists()] == []
    modules = set(re.findall(r"`(compiled_plan(?:\.[a-z_]+)+)", text))
    assert [module for module in sorted(modules) if not _is_there(module)] == []


def _is_there(name: str) -> bool:
    """Return True if a module, or a name in one, exists."""
    try:
        return find_spec(name) is not None
    except ModuleNotFoundError:
        module, _, last = name.rpartition(".")
        return hasattr(import_module(module), last)


def _without_code(page: Path) -> str:
    return re.sub(r"```.*?```|`[^`\n]*`", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)


def _places(page: Path) -> set[str]:
    """The anchors of a page's headings, in GitHub's spelling."""
    headings = re.findall(
        r"^#+ (.+)$", re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL), re.M
    )
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}
