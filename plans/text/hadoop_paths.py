"""Paths of tables, as the run's file systems read them.

Sources: the constructor `Path(String)` of `org.apache.hadoop.fs.Path` 3.5, and `java.net.URI`, which it uses. Nothing
is decoded: `%`, `#`, `?` and `~` are letters of a name.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from compiled_plan.plans.errors import ProgramError

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*", re.ASCII)
#: Hosts, ports, buckets, containers and users; others are legal in Hadoop and name no known store.
_AUTHORITY = re.compile(r"[\w.\-:@$]+", re.ASCII)
_SLASHES = re.compile("/+")
_SURROGATE = re.compile("[\ud800-\udfff]")
#: The scheme of this machine's files.
LOCAL = "file"


@dataclass(frozen=True, slots=True)
class HadoopPath:
    """A path without `.`, empty parts and `..` behind a name.

    Args:
        scheme: the scheme; empty for the default file system.
        authority: the host or bucket; empty if there is none.
        path: the rest; relative unless it begins with a slash.
    """

    scheme: str
    authority: str
    path: str

    def __str__(self) -> str:
        return f"{self.scheme and self.scheme + ':'}{self.authority and '//' + self.authority}{self.path}"

    @property
    def is_local(self) -> bool:
        """True if the path is on this machine, unless another default file system is configured."""
        return self.scheme in ("", LOCAL) and not self.authority

    @property
    def place(self) -> str:
        """The path without the scheme of this machine's files, so that equal places have equal names."""
        text = self.path if self.is_local else str(self)
        return text.rstrip("/") or text


def at_rest(text: str) -> str:
    """The place that a text names; the text itself if it is no path."""
    try:
        return hadoop_path(text).place
    except ProgramError:
        return text


def hadoop_path(text: str) -> HadoopPath:
    """The path that Hadoop makes of a text.

    Raises:
        ProgramError: Hadoop refuses it, or it cannot be the name of a file.
    """
    scheme, colon, rest = text.partition(":")
    if not colon or "/" in scheme:
        scheme, rest = "", text
    elif not _SCHEME.fullmatch(scheme):
        raise _wrong(text, f"{scheme!r} is no scheme")
    authority = ""
    if rest.startswith("//") and len(rest) > 2:
        authority, slash, below = rest[2:].partition("/")
        rest = slash + below
    if authority and not _AUTHORITY.fullmatch(authority):
        raise _wrong(text, f"{authority!r} is no host or bucket")
    if not rest and not authority:
        raise _wrong(text, "it is empty")
    if scheme and rest and not rest.startswith("/"):
        raise _wrong(text, f"no slash follows '{scheme}:'")
    if "\0" in text or _SURROGATE.search(text):
        raise _wrong(text, "no file can have that name")
    return HadoopPath(scheme, authority, _normalized(rest))


def _normalized(path: str) -> str:
    """Drop empty parts, and dots as `URI.normalize` does: the slash before dots at the end stays."""
    path = _SLASHES.sub("/", path)
    written = (path.removesuffix("/") if len(path) > 1 else path).split("/")
    parts: list[str] = []
    is_dropped = False
    for part in written:
        is_dropped = True
        if part == ".." and parts and parts[-1] not in ("..", ""):
            parts.pop()
        elif part != ".":
            parts.append(part)
            is_dropped = False
    if is_dropped and parts and parts[-1]:
        parts.append("")
    if parts == [""]:
        return path[:1]
    # Otherwise a first part with a colon would be a scheme.
    return "/".join(["."] * (":" in "".join(parts[:1])) + parts)


def _wrong(text: str, why: str) -> ProgramError:
    return ProgramError(f"{text!r} is no path: {why}", remedy="write an absolute path, or scheme://bucket/path")
