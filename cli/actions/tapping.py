"""Requests for rows between operators, as files beside the progress file of a run."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from compiled_plan.plans.execution.chunks import Chunk
from compiled_plan.plans.telemetry.progress_file import tap_files
from compiled_plan.plans.text.masking import masked_text
from compiled_plan.plans.types import RowType
from compiled_plan.results.bounded import Limits, RowTexts
from compiled_plan.results.tableau import Display


@dataclass(eq=False)
class FileRequest:
    """A request in a file, `{"id", "node", "rows", "until"}`; `until` is in seconds since 1970.

    The answer is `{"id", "open", "result"}`, or `{"id", "open", "message"}` after an error; `result` is a document of
    `BoundedRows`. The request is removed at its end.
    """

    file: Path
    answer: Path
    id: str
    node: int
    rows: int
    until: float
    zone: str
    _texts: RowTexts | None = field(default=None, init=False)

    @property
    def left(self) -> int:
        """The number of rows that are still missing."""
        return self.rows - (0 if self._texts is None else len(self._texts))

    def take(self, row_type: RowType, kinds: Sequence[int], columns: Sequence[Sequence[object]]) -> None:
        """Show rows of a micro-batch."""
        if self._texts is None:
            self._texts = RowTexts(row_type, Display(self.zone), Limits(rows=self.rows))
        limit = self._texts.add(Chunk(kinds, columns))
        self._answer(is_open=limit is None, result=self._texts.document(limit or "seconds").model_dump())

    def fail(self, fault: Exception) -> None:
        """Show why there are no rows."""
        self._answer(is_open=False, message=masked_text(str(fault)))

    def _answer(self, *, is_open: bool, **content: object) -> None:
        new = self.answer.with_name(f"{self.answer.name}.new")
        new.write_text(json.dumps({"id": self.id, "open": is_open, **content}))
        new.replace(self.answer)
        if not is_open:
            self.file.unlink(missing_ok=True)


class FileTap:
    """The requests of a run; without a request, a micro-batch costs one look for a file.

    Args:
        progress: the progress file of the run.
        zone: the time zone of TIMESTAMP_LTZ values.
    """

    def __init__(self, progress: Path, zone: str) -> None:
        (self._file, self._answer), self._zone = tap_files(progress), zone
        self._last: FileRequest | None = None

    def request(self) -> FileRequest | None:
        """The open request; an expired one is removed."""
        if not self._file.exists():
            return None
        try:
            facts = json.loads(self._file.read_text())
            wanted = facts["id"], int(facts["node"]), int(facts["rows"]), facts["until"]
            now = FileRequest(self._file, self._answer, *wanted, self._zone)
        except (OSError, ValueError, KeyError, TypeError):
            return None
        if time.time() > now.until:
            self._file.unlink(missing_ok=True)
            return None
        if self._last is None or self._last.id != now.id:
            self._last = now
        return self._last
