"""Build of the page's SQL editor: CodeMirror and sql-formatter as one module each, with their licences.

`python -m tools.build_editor` writes `service/page/vendor/codemirror/` and `service/page/vendor/sql-formatter/`;
`--check` compares instead. The lock file pins every package by hash, so that a build gives the same bytes on any
machine. It needs Node and npm.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "tools" / "editor"
TARGET = ROOT / "service" / "page" / "vendor"
#: The modules by their entry points.
_MODULES = {"editor.js": "codemirror/codemirror.js", "formatter.js": "sql-formatter/sql-formatter.js"}
_BUNDLE = ("--bundle", "--minify", "--format=esm", "--target=es2022", "--legal-comments=none", "--charset=utf8")
_PACKAGE = re.compile(r"node_modules/((?:@[^/]+/)?[^/]+)/")


def build(folder: Path) -> dict[str, bytes]:
    """Build in an empty folder.

    Returns:
        The content of the files by their paths in `TARGET`.
    """
    for name in ("package.json", "package-lock.json", *_MODULES):
        shutil.copy(SOURCE / name, folder)
    # Packages run no scripts of their own.
    _run(folder, "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
    files = {}
    for source, target in _MODULES.items():
        arguments = (source, *_BUNDLE, f"--outfile={target}", f"--metafile={source}on")
        _run(folder, "node_modules/.bin/esbuild", *arguments)
        files[target] = (folder / target).read_bytes()
        inputs = json.loads((folder / f"{source}on").read_text())["inputs"]
        files[f"{Path(target).parent}/LICENSE"] = _licences(folder, inputs).encode()
    return files


def _run(folder: Path, *command: str) -> None:
    subprocess.run(command, cwd=folder, check=True, stdout=sys.stderr)


def _licences(folder: Path, inputs: Iterable[str]) -> str:
    """The licences of the packages of the bundled files; packages with the same text share it."""
    names: dict[str, list[str]] = {}
    for name in sorted({match[1] for path in inputs if (match := _PACKAGE.match(path))}):
        package = folder / "node_modules" / name
        (licence,) = package.glob("LICENSE*")
        version = json.loads((package / "package.json").read_text())["version"]
        names.setdefault(licence.read_text(encoding="utf-8").strip(), []).append(f"{name} {version}")
    return "\n\n".join(f"{', '.join(users)}:\n\n{text}" for text, users in names.items()) + "\n"


def main() -> None:
    """Build and write the files, or compare them."""
    with tempfile.TemporaryDirectory(prefix="editor-") as folder:
        files = build(Path(folder))
    if "--check" in sys.argv[1:]:
        changed = [name for name, content in files.items() if (TARGET / name).read_bytes() != content]
        if changed:
            sys.exit(f"{TARGET}: {', '.join(changed)} differ from the build; run `python -m tools.build_editor`")
        return
    for name, content in files.items():
        (TARGET / name).parent.mkdir(exist_ok=True)
        (TARGET / name).write_bytes(content)
        if name.endswith(".js"):
            print(f"{sha256(content).hexdigest()}  {TARGET / name}")


if __name__ == "__main__":
    main()
