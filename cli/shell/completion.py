"""Completion at the prompt."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING

from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document

from compiled_plan.compiling.completing import Candidates

if TYPE_CHECKING:
    from compiled_plan.environment import TableEnvironment


class SqlCompleter(Completer):
    """Completes the last statement of a text.

    Args:
        environment: the session, with its catalogs, options and jobs.
        commands: further statements of one word.
    """

    def __init__(self, environment: TableEnvironment, commands: Collection[str] = ()) -> None:
        self._candidates = Candidates(environment, commands)

    def get_completions(self, document: Document, complete_event: CompleteEvent | None) -> Iterable[Completion]:
        for item in self._candidates.at(document.text_before_cursor, document.text_after_cursor):
            yield Completion(item.text, start_position=-item.typed, display=item.shown)
