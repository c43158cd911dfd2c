"""Remote files, at URLs that fsspec supports (`s3://...`), and the extra to install if a driver is missing.

Source: fsspec's `known_implementations` and its extras.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from compiled_plan.plans.deferred import deferred
from compiled_plan.plans.errors import PlanError

if TYPE_CHECKING:
    import fsspec
else:
    fsspec = deferred("fsspec")

PACKAGE = "compiled-plan"

#: URL schemes by extra of the product; each is fsspec's extra of the same driver.
EXTRAS: Mapping[str, tuple[str, ...]] = {
    "s3": ("s3", "s3a"),
    "gcs": ("gs", "gcs"),
    "azure": ("az", "abfs", "abfss"),
    "hdfs": ("hdfs",),
    "webhdfs": ("webhdfs",),
    "http": ("http", "https"),
    "sftp": ("sftp", "ssh"),
    "smb": ("smb",),
    "oci": ("oci", "ocilake"),
}
_HADOOP = (
    "`{install}`, and a Hadoop client: set JAVA_HOME, HADOOP_HOME, and CLASSPATH to the output of "
    "`hadoop classpath --glob`; or use webhdfs://"
)


def read(url: str, noun: str) -> bytes:
    """Read a file. Raises PlanError if the driver is missing or fails, FileNotFoundError if there is no file."""
    with _refusing(url, f"cannot read the {noun}"), fsspec.open(url, "rb") as file:
        return bytes(file.read())


def write(url: str, data: bytes) -> None:
    """Write a file. Raises PlanError. Needs no rename: object stores never show partial writes."""
    with _refusing(url, "cannot write the plan"), fsspec.open(url, "wb") as file:
        file.write(data)


def exists(url: str) -> bool:
    """Return True if the file exists. Raises PlanError if the driver is missing or its store does not answer."""
    with _refusing(url, "cannot look for the plan"):
        system, name = fsspec.url_to_fs(url)
        return bool(system.exists(name))


def names(url: str) -> tuple[str, ...]:
    """The sorted names in a folder; empty if it does not exist. Raises PlanError as `exists` does."""
    with _refusing(url, "cannot look into the folder"):
        system, name = fsspec.url_to_fs(url)
        try:
            listed = system.ls(name, detail=False)
        except (FileNotFoundError, NotADirectoryError):
            return ()
        # Object stores include the folder itself in its listing.
        inside = (entry.rstrip("/") for entry in listed)
        return tuple(sorted(entry.rsplit("/", 1)[-1] for entry in inside if entry != name.rstrip("/")))


def copy_folder(url: str, to: Path, noun: str) -> None:
    """Copy the files of a folder into a local one, with their times; nothing if it does not exist. Raises PlanError."""
    with _refusing(url, f"cannot read the {noun}"):
        system, root = fsspec.url_to_fs(url.rstrip("/"))
        for name in system.find(root):
            place = to / name.removeprefix(root).lstrip("/")
            if not place.resolve().is_relative_to(to.resolve()):
                raise PlanError(f"the {noun} has a file outside its folder", where=name, remedy="copy it by hand")
            place.parent.mkdir(parents=True, exist_ok=True)
            system.get_file(name, str(place))
            with suppress(NotImplementedError):
                time = system.modified(name).timestamp()
                os.utime(place, (time, time))


@contextmanager
def _refusing(url: str, action: str) -> Iterator[None]:
    """Convert exceptions of drivers, which may be of any class, to PlanError."""
    try:
        yield
    except (FileNotFoundError, PlanError):
        raise
    except Exception as fault:
        scheme = url.partition("://")[0].lower()
        reason = next(iter(str(fault).strip().splitlines()), "") or type(fault).__name__
        raise PlanError(f"{action}: {reason}", where=url, remedy=_remedy(scheme, fault)) from None


def _remedy(scheme: str, fault: Exception) -> str:
    extra = next((extra for extra, schemes in EXTRAS.items() if scheme in schemes), "")
    install = f"pip install '{PACKAGE}[{extra}]'"
    if extra == "hdfs":
        return _HADOOP.format(install=install)
    known = fsspec.available_protocols()
    if extra and (isinstance(fault, ImportError) or scheme not in known):
        return f"`{install}`"
    if isinstance(fault, ImportError):
        return f"install the driver that fsspec has for {scheme}://"
    if scheme not in known:
        return f"known are {', '.join(f'{scheme}://' for schemes in EXTRAS.values() for scheme in schemes)}"
    return "check the path, the credentials, and that the store can be reached"
