"""MkDocs hooks: pages from outside of `docs/`, the Python reference, and links between them.

MkDocs calls these functions by name; see its documentation of hooks.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parents[2]
#: Files outside of `docs/`, by page.
OUTSIDE = {"CHANGELOG.md": "CHANGELOG.md", "CONTRIBUTING.md": "CONTRIBUTING.md", "kernel.md": "kernel/README.md"}
PYTHON = "reference/python-api.md"
#: Search from disk needs this script, which Material loads from another host. npm: iframe-worker 1.0.4, shim/index.js.
_SHIM, _SHIM_ELSEWHERE = "assets/iframe-worker.js", "https://unpkg.com/iframe-worker/shim"
_LINK = re.compile(r"\]\((?P<target>[^)#:\s]+)(?P<anchor>#[^)\s]*)?\)")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages, and list the decisions in the navigation."""
    from mkdocs.structure.files import File

    for page, source in OUTSIDE.items():
        files.append(File.generated(config, page, content=(ROOT / source).read_text(encoding="utf-8")))
    files.append(File.generated(config, PYTHON, content=_python_reference()))
    shim = Path(__file__).with_name("iframe-worker") / "shim.js"
    files.append(File.generated(config, _SHIM, abs_src_path=str(shim)))
    decisions = sorted(uri for uri in files.src_uris if uri.startswith("decisions/"))
    listed = ["decisions/README.md", *(uri for uri in decisions if not uri.endswith("README.md"))]
    for section in config.nav or ():
        for parts in section.values():
            if isinstance(parts, list) and "decisions/*" in parts:
                parts[parts.index("decisions/*")] = {"Decisions": listed}
    return files


def on_page_markdown(markdown: str, page: Page, **_: Any) -> str:
    """Point links to files of the repository at their pages on the site."""
    source = ROOT / OUTSIDE.get(page.file.src_uri, f"docs/{page.file.src_uri}")
    return _LINK.sub(lambda link: _on_site(link, source.parent, page.file.src_uri), markdown)


def on_post_page(output: str, page: Page, **_: Any) -> str:
    """Load the search script from the site."""
    return output.replace(_SHIM_ELSEWHERE, f"{'../' * page.url.count('/')}{_SHIM}")


def on_post_template(output_content: str, template_name: str, **_: Any) -> str:
    """Load the search script from the site on pages without a document, such as the 404 page."""
    return output_content.replace(_SHIM_ELSEWHERE, _SHIM)


def _on_site(link: re.Match[str], folder: Path, uri: str) -> str:
    target = (folder / link["target"]).resolve()
    pages = {ROOT / source: page for page, source in OUTSIDE.items()}
    if target in pages:
        place = pages[target]
    elif target.is_relative_to(ROOT / "docs"):
        place = str(target.relative_to(ROOT / "docs"))
    else:
        # The site has no page for other files of the repository, so only the name stays.
        return "]" if target.exists() else link[0]
    return f"]({'../' * uri.count('/')}{place}{link['anchor'] or ''})"


def _python_reference() -> str:
    """Build the reference of all names of `compiled_plan`, in the order of its imports."""
    tree = ast.parse((ROOT / "compiled_plan/__init__.py").read_text(encoding="utf-8"))
    block = next(node for node in tree.body if isinstance(node, ast.If))
    names = [
        f"{statement.module}.{alias.name}"
        for statement in block.body
        if isinstance(statement, ast.ImportFrom)
        for alias in statement.names
    ]
    entries = "".join(f"\n::: {name}\n" for name in names)
    return (
        "# Python API\n\nLook up all names of `import compiled_plan as cp`, from their docstrings."
        f" [Write programs in Python](../table-api.md) shows examples.\n{entries}"
    )
