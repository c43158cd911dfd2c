"""The map of the folders, from the docstrings of Python packages and the Javadoc of Java packages."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path

from compiled_plan.planner.pipeline import PIPELINE
from tools.reference.markdown import code, first_line, table

ROOT = Path(__file__).resolve().parent.parent.parent
_PYTHON = ("compiled_plan", "cli", "planner", "plans", "schemas", "service", "tools")
_JAVA = ROOT / "kernel/src/main/java/org/compiledplan"


def folders() -> str:
    """Python packages and their purposes."""
    packages = [
        path
        for folder in _PYTHON
        for path in (ROOT / folder).rglob("__init__.py")
        if path.parent != ROOT / "compiled_plan"
    ]
    return table(("folder", "what"), ((_name(path.parent), first_line(_docstring(path))) for path in sorted(packages)))


def layers() -> str:
    """The layers of the import contract, top-down."""
    tool = tomllib.loads((ROOT / "importlinter.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]
    layered = next(contract for contract in tool["contracts"] if contract["id"] == "layers")
    return _lines(layer.replace(".", "/") for layer in layered["layers"])


def java_layers() -> str:
    """The layers of the kernel's packages, top-down."""
    return _lines(tomllib.loads((ROOT / "kernel/layers.toml").read_text(encoding="utf-8"))["layers"])


def _lines(layers: Iterable[str]) -> str:
    return "```text\n" + "\n".join(layer.replace(" | ", "    ") for layer in layers) + "\n```"


def pipeline() -> str:
    """The passes of the planner, in order."""
    return table(("pass", "why there"), ((code(step.name), step.why) for step in PIPELINE))


def java() -> str:
    """Java packages of the kernel and their purposes."""
    return table(("package", "what"), _packages())


def _packages() -> Iterator[tuple[str, str]]:
    for path in sorted(_JAVA.rglob("package-info.java")):
        comment = re.search(r"/\*\*(.*?)\*/", path.read_text(encoding="utf-8"), re.DOTALL)
        assert comment is not None, f"{path} has no Javadoc"
        text = " ".join(re.sub(r"^\s*\*", "", line).strip() for line in comment[1].splitlines())
        text = re.sub(r"\{@\w+ ([^}]*)\}", r"`\1`", text).strip()
        yield code(path.parent.relative_to(_JAVA).as_posix()), re.split(r"\. |<p>|: see ", text)[0].strip(" .")


def _name(folder: Path) -> str:
    parts = folder.relative_to(ROOT).parts
    return code("/".join(parts) + "/")


def _docstring(path: Path) -> str | None:
    return ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
