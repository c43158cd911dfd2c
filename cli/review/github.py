"""GitHub: the pull request of a run of GitHub Actions, its comment, the run's summary and outputs."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from http.client import HTTPException
from pathlib import Path
from secrets import token_hex
from typing import Any, Self
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from compiled_plan.plans.errors import ProgramError

#: GitHub's limits, in bytes: of the summary of a step, and of a comment (in characters, which are no more).
LONGEST_SUMMARY, _LONGEST = 1 << 20, 65_536
_PAGE = 100
_TIMEOUT = 30
_FORK = "the token cannot write comments, as for a pull request of a fork; the summary of the run has the review"


def as_data(text: str) -> str:
    """Text for the log of a run, of which no line is a command to the runner (`::add-mask::...`)."""
    word = token_hex(16)
    return f"::stop-commands::{word}\n{text}\n::{word}::\n"


@dataclass(frozen=True, slots=True)
class ActionsRun:
    """A run of GitHub Actions.

    Args:
        environment: the variables of the process.
        event: the event that started the run.
    """

    environment: Mapping[str, str]
    event: Mapping[str, Any]

    @classmethod
    def of(cls, environment: Mapping[str, str]) -> Self:
        """Read the event of a run. Raises ProgramError outside of GitHub Actions."""
        path = environment.get("GITHUB_EVENT_PATH", "")
        if not path or not Path(path).is_file():
            raise ProgramError(
                "--github works in a run of GitHub Actions alone: GITHUB_EVENT_PATH names no file",
                remedy="leave out --github; the review goes to stdout",
            )
        return cls(environment, json.loads(Path(path).read_text(encoding="utf-8")))

    @property
    def base(self) -> str:
        """The commit that the change is based on: of the pull request, or before the push; empty if unknown."""
        pull = self.event.get("pull_request") or {}
        before = str(self.event.get("before") or "")
        return str((pull.get("base") or {}).get("sha") or ("" if set(before) <= {"0"} else before))

    @property
    def pull_request(self) -> int | None:
        number = (self.event.get("pull_request") or {}).get("number")
        return number if isinstance(number, int) else None

    def summarize(self, text: str) -> None:
        """Append Markdown, of fewer bytes than `LONGEST_SUMMARY`, to the run's summary."""
        self._append("GITHUB_STEP_SUMMARY", text + "\n")

    def put_out(self, outputs: Mapping[str, str]) -> None:
        """Set the outputs of the step, each of one line."""
        self._append("GITHUB_OUTPUT", "".join(f"{name}={value}\n" for name, value in outputs.items()))

    def post(self, text: str, *, only_update: bool = False) -> str:
        """Post the comment on the pull request, if there is one, or replace that of an earlier run of this job.

        Returns a warning, empty if there is none.

        Args:
            text: the comment, of at most `longest` bytes.
            only_update: post nothing if there is no earlier comment.

        Raises:
            ProgramError: there is no token, or GitHub does not answer or refuses for another reason than permissions.
        """
        if self.pull_request is None:
            return ""
        if not self.environment.get("GITHUB_TOKEN"):
            raise ProgramError("GITHUB_TOKEN is not set", remedy="pass the token of the run: github.token")
        repository = f"/repos/{self.environment.get('GITHUB_REPOSITORY', '')}"
        body = {"body": self._body(text)}
        try:
            for old in self._comments(f"{repository}/issues/{self.pull_request}/comments"):
                if str(old.get("body", "")).startswith(self._marker) and (old.get("user") or {}).get("type") == "Bot":
                    self._call("PATCH", f"{repository}/issues/comments/{old['id']}", body)
                    return ""
            if not only_update:
                self._call("POST", f"{repository}/issues/{self.pull_request}/comments", body)
        except HTTPError as fault:
            if fault.code in (HTTPStatus.FORBIDDEN, HTTPStatus.NOT_FOUND):
                return _FORK
            raise ProgramError(f"GitHub refuses the comment: {fault.code} {fault.reason}") from None
        except (OSError, HTTPException, ValueError) as fault:
            raise ProgramError(f"GitHub does not answer: {fault}", remedy="run the job again") from None
        return ""

    @property
    def longest(self) -> int:
        """The most bytes of a comment."""
        return _LONGEST - len(self._body(""))

    def _body(self, text: str) -> str:
        return f"{self._marker}\n{text}"

    @property
    def _marker(self) -> str:
        """First line of a comment, which later runs of the same job recognize."""
        names = (self.environment.get(name, "") for name in ("GITHUB_WORKFLOW", "GITHUB_JOB"))
        return f"<!-- review-plans: {re.sub('[^A-Za-z0-9_./ ]', '_', '/'.join(names))} -->"

    def _comments(self, path: str) -> Iterator[dict[str, Any]]:
        page = 1
        while comments := self._call("GET", f"{path}?per_page={_PAGE}&page={page}"):
            yield from comments
            if len(comments) < _PAGE:
                return
            page += 1

    def _call(self, method: str, path: str, body: object = None) -> Any:
        request = Request(
            self.environment.get("GITHUB_API_URL", "https://api.github.com") + path,
            data=None if body is None else json.dumps(body).encode(),
            method=method,
            headers={
                "Accept": "application/vnd.github+json",
                "Authorization": f"Bearer {self.environment['GITHUB_TOKEN']}",
                "Content-Type": "application/json",
                "X-GitHub-Api-Version": "2022-11-28",
            },
        )
        with urlopen(request, timeout=_TIMEOUT) as answer:
            return json.load(answer)

    def _append(self, variable: str, text: str) -> None:
        if path := self.environment.get(variable, ""):
            with Path(path).open("a", encoding="utf-8") as file:
                file.write(text)
