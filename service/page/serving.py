"""The page's static files over HTTP."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path

from fastapi import FastAPI
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

FOLDER = Path(__file__).parent
#: Only scripts and styles of these files, no inline ones, no other host, no frames.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    # Browsers revalidate each file, with a short response if unchanged, so that a new release shows at once.
    "Cache-Control": "no-cache",
}
_FOLDERS = ("css", "js", "vendor")
_FILES = {"/": "index.html", "/icon.svg": "icon.svg"}


class _Files(StaticFiles):
    """The files of a folder, with the page's headers."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        response = await super().get_response(path, scope)
        response.headers.update(HEADERS)
        return response


def add_page(app: FastAPI) -> None:
    """Serve the page at the root of an application, and no other files of its folder."""
    for folder in _FOLDERS:
        app.mount(f"/{folder}", _Files(directory=FOLDER / folder))
    for path, name in _FILES.items():
        app.add_route(path, _file(name), include_in_schema=False)


def _file(name: str) -> Callable[[Request], Awaitable[Response]]:
    async def answer(request: Request) -> Response:
        return FileResponse(FOLDER / name, headers=HEADERS)

    return answer
