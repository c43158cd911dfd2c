"""The comment on a pull request, against a server with GitHub's two resources."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from compiled_plan.cli.review.github import ActionsRun
from compiled_plan.plans.errors import ProgramError

DROPS = -1
PULL = {"pull_request": {"number": 7, "base": {"sha": "b" * 40}}}


class GitHub(ThreadingHTTPServer):
    """Comments of pull request 7 in `o/r`, in pages; `refuses` answers every write with that status."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.comments: list[dict[str, Any]] = []
        self.refuses = 0
        self.tokens: set[str | None] = set()


class _Handler(BaseHTTPRequestHandler):
    server: GitHub

    def do_GET(self) -> None:
        path, _, query = self.path.partition("?")
        assert path == "/repos/o/r/issues/7/comments"
        page = int(query.rpartition("=")[2])
        self._answer(200, self.server.comments[100 * (page - 1) : 100 * page])

    def do_POST(self) -> None:
        assert self.path == "/repos/o/r/issues/7/comments"
        comment = {"id": len(self.server.comments), "user": {"type": "Bot"}} | self._body()
        if not self.server.refuses:
            self.server.comments.append(comment)
        self._answer(self.server.refuses or 201, comment)

    def do_PATCH(self) -> None:
        *path, number = self.path.split("/")
        assert "/".join(path) == "/repos/o/r/issues/comments"
        self.server.comments[int(number)] |= self._body()
        self._answer(200, self.server.comments[int(number)])

    def _body(self) -> dict[str, Any]:
        self.server.tokens.add(self.headers["Authorization"])
        body: dict[str, Any] = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        assert len(body["body"]) <= 65_536
        return body

    def _answer(self, status: int, value: object) -> None:
        if status == DROPS:
            return
        data = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *arguments: Any) -> None:
        pass


@pytest.fixture
def github() -> Iterator[GitHub]:
    with GitHub() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def run_of(github: GitHub, event: dict[str, Any] = PULL, **variables: str) -> ActionsRun:
    environment = {
        "GITHUB_API_URL": f"http://127.0.0.1:{github.server_address[1]}",
        "GITHUB_REPOSITORY": "o/r",
        "GITHUB_TOKEN": "t",
        "GITHUB_WORKFLOW": "Review -->",
        "GITHUB_JOB": "plans",
    }
    return ActionsRun(environment | variables, event)


def test_a_later_run_of_the_job_replaces_its_comment(github: GitHub) -> None:
    # A person quotes the comment; another hundred comments precede it.
    run = run_of(github)
    assert run.post("one") == ""
    mine = github.comments.pop()["body"]
    others = [{"id": at, "body": mine, "user": {"type": "User"}} for at in range(105)]
    github.comments[:] = others
    assert run.post("two") == run.post("three") == run_of(github, GITHUB_JOB="other").post("four") == ""
    assert [comment["body"].partition("\n") for comment in github.comments[105:]] == [
        ("<!-- review-plans: Review ___/plans -->", "\n", "three"),
        ("<!-- review-plans: Review ___/other -->", "\n", "four"),
    ]
    assert all(comment["body"] == mine for comment in github.comments[:105])
    assert github.tokens == {"Bearer t"}


def test_a_comment_of_the_greatest_length(github: GitHub) -> None:
    run = run_of(github)
    assert run.post("x" * run.longest) == ""
    assert len(github.comments[0]["body"]) == 65_536


def test_nothing_to_say_posts_no_new_comment(github: GitHub) -> None:
    assert run_of(github).post("nothing", only_update=True) == "" and not github.comments
    run_of(github).post("one")
    run_of(github).post("nothing", only_update=True)
    assert [comment["body"].splitlines()[1] for comment in github.comments] == ["nothing"]


def test_where_no_comment_can_be_written(github: GitHub) -> None:
    github.refuses = 403
    assert "pull request of a fork" in run_of(github).post("one")
    assert run_of(github, {"before": "c" * 40}).post("one") == ""
    github.refuses = 500
    with pytest.raises(ProgramError, match="GitHub refuses the comment: 500"):
        run_of(github).post("one")
    with pytest.raises(ProgramError, match="GITHUB_TOKEN is not set"):
        run_of(github, GITHUB_TOKEN="").post("one")
    with pytest.raises(ProgramError, match="GitHub does not answer"):
        run_of(github, GITHUB_API_URL="http://127.0.0.1:1").post("one")
    # A connection that ends before the answer.
    github.refuses = DROPS
    with pytest.raises(ProgramError, match="GitHub does not answer"):
        run_of(github).post("one")


@pytest.mark.parametrize(
    ("event", "base"),
    [(PULL, "b" * 40), ({"before": "c" * 40}, "c" * 40), ({"before": "0" * 40}, ""), ({}, "")],
)
def test_the_base_of_a_change(event: dict[str, Any], base: str, tmp_path: Path) -> None:
    (tmp_path / "event.json").write_text(json.dumps(event))
    assert ActionsRun.of({"GITHUB_EVENT_PATH": str(tmp_path / "event.json")}).base == base
