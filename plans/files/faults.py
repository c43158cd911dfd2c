"""Errors of local file access: plain words instead of errnos, the absolute path in quotes, and a remedy."""

from __future__ import annotations

import codecs
import errno
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from compiled_plan.plans.errors import CompiledPlanError
from compiled_plan.plans.files.paths import STDIN, local_path, quoted
from compiled_plan.plans.text.nearest import nearest_word
from compiled_plan.plans.text.position import excerpt, place_in, span_at


@contextmanager
def reading(path: str | Path, noun: str, error: type[CompiledPlanError]) -> Iterator[None]:
    """Convert OSError and UnicodeError to `error`; `noun` is the noun for the message: "plan file", "checkpoint"."""
    try:
        yield
    except UnicodeDecodeError as fault:
        raise not_utf8(path, noun, error, fault) from None
    except FileNotFoundError:
        raise error(f"no such {noun}", where=quoted(path), remedy=_for_missing(local_path(path))) from None
    except OSError as fault:
        remedy = _REMEDIES.get(fault.errno or 0, "check the path")
        raise error(f"cannot read the {noun}: {reason(fault)}", where=quoted(path), remedy=remedy) from None


@contextmanager
def writing(path: str | Path, noun: str, error: type[CompiledPlanError]) -> Iterator[None]:
    """Convert errors of writing a file to `error`; parameters as of `reading`."""
    try:
        yield
    except OSError as fault:
        parent = local_path(path).parent
        why, remedy = reason(fault), "name a place that can be written"
        if fault.errno in (errno.ENOSPC, errno.EDQUOT):
            remedy = "free some space there, then run the command again"
        if isinstance(fault, FileNotFoundError) and not parent.exists():
            why, remedy = f"there is no folder {quoted(parent)}", f"create it: `mkdir -p {quoted(parent)}`"
        raise error(f"cannot write the {noun}: {why}", where=quoted(path), remedy=remedy) from None


def not_utf8(
    path: str | Path, noun: str, error: type[CompiledPlanError], fault: UnicodeDecodeError
) -> CompiledPlanError:
    """The error for a file that is not UTF-8."""
    data, at = bytes(fault.object), fault.start
    in_utf16 = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) or b"\0" in data[:4]
    encoding = "UTF-16" if in_utf16 else "LATIN1"
    where = quoted(path)
    file = "" if str(path) == STDIN else f" {where}"
    # Every wrong byte becomes one character here.
    text, start = data.decode("utf-8", "replace"), len(data[:at].decode("utf-8"))
    span = span_at(text, start, start + 1)
    return error(
        f"the {noun} is in UTF-16" if in_utf16 else f"the {noun} is not in UTF-8: byte 0x{data[at]:02x}",
        where=where if in_utf16 else f"{place_in(where, span)}, byte {at}\n{excerpt(span, text)}",
        remedy=f"save it in UTF-8, such as with `iconv -f {encoding} -t UTF-8{file}`",
    )


_REMEDIES = {
    errno.EISDIR: "name a file in it; `--checkpoint`, `diff-plan` and `inspect-state` take the folder of a checkpoint",
    errno.EACCES: "allow this user to read it, with `chmod` or `chown`",
}
_REASONS = {
    errno.EISDIR: "it is a folder",
    errno.EEXIST: "it is a file, and no folder",
    errno.EACCES: "permission denied",
    errno.EPERM: "permission denied",
    errno.ENOTDIR: "a part of its path is a file, and no folder",
}


def reason(fault: OSError) -> str:
    """The operating system's error in plain words."""
    return _REASONS.get(fault.errno or 0) or (fault.strerror or str(fault)).lower()


def _for_missing(path: Path) -> str:
    """Remedy for a path that does not exist: the nearest name in its folder."""
    if str(path) == STDIN:
        return "`/dev/stdin` is the standard input as a file"
    from compiled_plan.plans.files.kinds import is_query

    if is_query(str(path)):
        return f"`plan-shell -e {shlex.quote(str(path))}` shows the rows of a query"

    try:
        names = [entry.name for entry in path.absolute().parent.iterdir()]
    except OSError:
        return f"check the path: there is no folder {quoted(path.parent)}"
    near = nearest_word(path.name, names, cutoff=0.8)
    return f"did you mean {quoted(path.parent / near)}?" if near else "check the path"
