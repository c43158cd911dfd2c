"""Build of the page's SQL editor: CodeMirror with its dependencies as one module, with their licences.

`python -m tools.build_editor` writes `service/page/vendor/codemirror/`; `--check` compares instead. The lock file pins
every package by hash, so that a build gives the same bytes on any machine. It needs Node and npm.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "tools" / "editor"
TARGET = ROOT / "service" / "page" / "vendor" / "codemirror"
_FILES = ("package.json", "package-lock.json", "editor.js")
_BUNDLE = ("--bundle", "--minify", "--format=esm", "--target=es2022", "--legal-comments=none", "--charset=utf8")


def build(folder: Path) -> dict[str, bytes]:
    """Build in an empty folder.

    Returns:
        The content of the files by name.
    """
    for name in _FILES:
        shutil.copy(SOURCE / name, folder)
    # Packages run no scripts of their own.
    _run(folder, "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
    _run(folder, "node_modules/.bin/esbuild", "editor.js", *_BUNDLE, "--outfile=codemirror.js")
    return {"codemirror.js": (folder / "codemirror.js").read_bytes(), "LICENSE": _licences(folder).encode()}


def _run(folder: Path, *command: str) -> None:
    subprocess.run(command, cwd=folder, check=True, stdout=sys.stderr)


def _licences(folder: Path) -> str:
    """The licences of the bundled packages; packages with the same text share it."""
    packages: Mapping[str, Mapping[str, object]] = json.loads((folder / "package-lock.json").read_text())["packages"]
    names: dict[str, list[str]] = {}
    for path, package in packages.items():
        if path and not package.get("dev") and not package.get("optional"):
            text = (folder / path / "LICENSE").read_text(encoding="utf-8").strip()
            names.setdefault(text, []).append(f"{path.removeprefix('node_modules/')} {package['version']}")
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
    TARGET.mkdir(exist_ok=True)
    for name, content in files.items():
        (TARGET / name).write_bytes(content)
    print(f"{sha256(files['codemirror.js']).hexdigest()}  {TARGET / 'codemirror.js'}")


if __name__ == "__main__":
    main()
