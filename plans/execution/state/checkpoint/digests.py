"""Digests of the files from which Spark continues a query, recorded in its generation.

The kernel's `Digests` adds each file while Spark writes it, and writes the record after each entry of the offset and
commit log. A process may end between an entry and its record, so logs may be one entry ahead of the record. Files of
state are covered by the commit log, which names them, and by their checksum files, see the kernel's `StateChecksums`.

The record has a line `version digest` over the rest of it, then a line `digest name` for each file. A file that is
about to be rewritten has both its digests, separated by a comma, since a process may end before that, too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from compiled_plan.plans.execution.spark.java import java_class
from compiled_plan.plans.execution.spark.storage import Folder
from compiled_plan.plans.execution.state.checkpoint.file_logs import COMPACT, SOURCES, entries_of, place_of
from compiled_plan.plans.execution.state.checkpoint.written import read_written
from compiled_plan.plans.inspection.checkpoints import COMMITS, DIGESTS, METADATA, OFFSETS, altered, damaged, digest_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_VERSION = "v1"
_KERNEL = "org.compiledplan.kernel.files.Digests"
_STATE, _SCHEMAS, _OPERATOR = "state", "_stateSchema", "_metadata/v2"

#: Digests by file name; of several, any one is right.
Digests = Mapping[str, frozenset[str]]


def read_digests(generation: Folder) -> Digests | None:
    """The recorded digests; None for a generation that an earlier release has run last.

    Raises:
        CheckpointError: the record is missing or damaged.
    """
    written, text = read_written(generation), generation.read_text(DIGESTS)
    if written.batch >= 0 and not written.digests:
        return None
    if text is None:
        if written.digests:
            raise damaged(generation, DIGESTS)
        return None
    head, _, lines = text.partition("\n")
    if head != f"{_VERSION} {digest_of(lines.encode())}":
        raise altered(generation, DIGESTS)
    pairs = (line.partition(" ") for line in lines.splitlines())
    return {name: frozenset(digests.split(",")) for digests, _, name in pairs}


def record(spark: SparkSession, generation: Folder) -> None:
    """Make the kernel record the digests of what a query writes into a generation from now on.

    Those of an entry behind which the last process ended are recorded first: else logs could get two entries ahead.
    """
    digests = _digests_now(generation)
    _write(generation, digests)
    java_class(spark._jvm, _KERNEL).begin(generation.uri, _lines(digests))


def seal(generation: Folder) -> None:
    """Record the digests of the present files of a generation, which no query records."""
    _write(generation, _digests_now(generation))


def rewrite(generation: Folder, name: str, text: str) -> None:
    """Write a recorded file of a generation anew."""
    known = read_digests(generation)
    if known is not None:
        _write(generation, {**known, name: known.get(name, frozenset()) | {digest_of(text.encode())}})
    generation.write_text(name, text)


class FileReader:
    """Reads files of a generation at most once each, and compares them with their digests.

    Args:
        generation: its folder.
        digests: the recorded digests; None to compare nothing.
    """

    def __init__(self, generation: Folder, digests: Digests | None) -> None:
        self.generation, self._digests = generation, digests or {}
        self._texts: dict[str, str] = {}

    def check(self) -> None:
        """Compare all files that are recorded.

        Raises:
            CheckpointError: a file is missing or differs.
        """
        for name in self._digests:
            self._check(name, self.generation.read_bytes(name))

    def text(self, name: str) -> str:
        """The text of a file.

        Raises:
            CheckpointError: it is missing, no text, or differs from its digest.
        """
        if name not in self._texts:
            self._check(name, self.generation.read_bytes(name))
        return self._texts[name]

    def _check(self, name: str, data: bytes | None) -> None:
        known = self._digests.get(name)
        if data is None:
            # Spark removes schemas of state that it no longer needs.
            if f"/{_SCHEMAS}/" not in name:
                raise damaged(self.generation, name)
            return
        if known is not None and digest_of(data) not in known:
            raise altered(self.generation, name)
        try:
            self._texts[name] = data.decode()
        except UnicodeDecodeError:
            # Schemas of state are no texts.
            if known is None:
                raise altered(self.generation, name) from None


def _digests_now(generation: Folder) -> Digests:
    """The digests of the files that count, recorded or not."""
    known = read_digests(generation) or {}
    return {
        name: known.get(name) or frozenset({digest_of(generation.read_bytes(name) or b"")})
        for name in _files_in_force(generation)
    }


def _files_in_force(generation: Folder) -> Iterator[str]:
    """The files that a start reads, as Spark or the product."""
    if generation.holds(METADATA):
        yield METADATA
    for log in (OFFSETS, COMMITS):
        yield from (f"{log}/{number}" for number in generation.numbers(log)[-2:])
    for name in generation.names(SOURCES):
        for entry in reversed(entries_of(generation, name).values()):
            yield f"{place_of(name)}/{entry}"
            if entry.endswith(COMPACT):
                break
    for operator in generation.numbers(_STATE):
        place = f"{_STATE}/{operator}"
        yield from (f"{place}/{_OPERATOR}/{number}" for number in generation.numbers(f"{place}/{_OPERATOR}")[-1:])
        for store in generation.names(f"{place}/{_SCHEMAS}"):
            schemas = generation.names(f"{place}/{_SCHEMAS}/{store}")
            yield from (f"{place}/{_SCHEMAS}/{store}/{name}" for name in schemas if not name.startswith("."))


def _write(generation: Folder, digests: Digests) -> None:
    lines = _lines(digests)
    generation.write_text(DIGESTS, f"{_VERSION} {digest_of(lines.encode())}\n{lines}")


def _lines(digests: Digests) -> str:
    return "".join(f"{','.join(sorted(digests[name]))} {name}\n" for name in sorted(digests))
