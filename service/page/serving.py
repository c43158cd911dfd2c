"""The page's static files over HTTP."""

from __future__ import annotations

import hashlib
from pathlib import Path

from fastapi import FastAPI
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

FOLDER = Path(__file__).parent
#: Only scripts and styles of these files, no inline ones, no other host, no frames.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_FOLDERS = ("css", "js", "vendor")
_HEADERS = {"Content-Security-Policy": POLICY, "Cache-Control": "no-cache"}
#: Paths of scripts and styles change with their content, so that browsers keep the files and show a new release at once.
_KEPT = {"Content-Security-Policy": POLICY, "Cache-Control": "public, max-age=31536000, immutable"}


class _Files(StaticFiles):
    """The files of a folder, with the page's headers."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        response = await super().get_response(path, scope)
        response.headers.update(_KEPT)
        return response


def add_page(app: FastAPI) -> None:
    """Serve the page at the root of an application, and no other files of its folder."""
    for folder in _FOLDERS:
        app.mount(f"/page/{{release}}/{folder}", _Files(directory=FOLDER / folder))
    app.add_route("/", _index, include_in_schema=False)
    app.add_route("/icon.svg", _icon, include_in_schema=False)


async def _index(request: Request) -> Response:
    text = (FOLDER / "index.html").read_text(encoding="utf-8")
    release = f'="page/{_release()}/'
    for folder in _FOLDERS:
        text = text.replace(f'="{folder}/', f"{release}{folder}/")
    return HTMLResponse(text, headers=_HEADERS)


async def _icon(request: Request) -> Response:
    return FileResponse(FOLDER / "icon.svg", headers=_HEADERS)


def _release() -> str:
    """A digest of the names, sizes and times of all scripts and styles."""
    files = sorted(path for folder in _FOLDERS for path in (FOLDER / folder).rglob("*.*"))
    facts = [(path.relative_to(FOLDER).as_posix(), path.stat().st_size, path.stat().st_mtime_ns) for path in files]
    return hashlib.sha256(repr(facts).encode()).hexdigest()[:12]
