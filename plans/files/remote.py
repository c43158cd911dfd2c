"""Files behind URLs that fsspec serves (`s3://...`), and what to install where a driver is missing.

Source: fsspec's `known_implementations` and its extras.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from compiled_plan.plans.errors import PlanError

PACKAGE = "compiled-plan"

#: The product's extras, each with the schemes that it is for; each is fsspec's extra of the same driver.
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


def read(url: str, what: str) -> bytes:
    """The bytes of a file. Raises PlanError where the driver is missing or fails, FileNotFoundError without a file."""
    with _refusing(url, f"cannot read the {what}"):
        import fsspec

        with fsspec.open(url, "rb") as file:
            return bytes(file.read())


def write(url: str, data: bytes) -> None:
    """Write a file, or raise PlanError. Object stores put whole objects: there is no half-written one to hide."""
    with _refusing(url, "cannot write the plan"):
        import fsspec

        with fsspec.open(url, "wb") as file:
            file.write(data)


def exists(url: str) -> bool:
    """True if there is such a file. Raises PlanError where the driver is missing or its store does not answer."""
    with _refusing(url, "cannot look for the plan"):
        from fsspec.core import url_to_fs

        system, name = url_to_fs(url)
        return bool(system.exists(name))


def names(url: str) -> tuple[str, ...]:
    """The sorted names in a folder, none where it is not there. Raises PlanError as `exists` does."""
    with _refusing(url, "cannot look into the folder"):
        from fsspec.core import url_to_fs

        system, name = url_to_fs(url)
        try:
            listed = system.ls(name, detail=False)
        except (FileNotFoundError, NotADirectoryError):
            return ()
        # Object stores list the folder itself among what is in it.
        inside = (entry.rstrip("/") for entry in listed)
        return tuple(sorted(entry.rsplit("/", 1)[-1] for entry in inside if entry != name.rstrip("/")))


@contextmanager
def _refusing(url: str, what: str) -> Iterator[None]:
    """Errors of drivers, which raise what they like, as the product's own."""
    try:
        yield
    except (FileNotFoundError, PlanError):
        raise
    except Exception as fault:
        scheme = url.partition("://")[0].lower()
        reason = next(iter(str(fault).strip().splitlines()), "") or type(fault).__name__
        raise PlanError(f"{what}: {reason}", where=url, remedy=_remedy(scheme, fault)) from None


def _remedy(scheme: str, fault: Exception) -> str:
    extra = next((extra for extra, schemes in EXTRAS.items() if scheme in schemes), "")
    install = f"pip install '{PACKAGE}[{extra}]'"
    if extra == "hdfs":
        return _HADOOP.format(install=install)
    from fsspec.registry import known_implementations

    if extra and (isinstance(fault, ImportError) or scheme not in known_implementations):
        return f"`{install}`"
    if isinstance(fault, ImportError):
        return f"install the driver that fsspec has for {scheme}://"
    if scheme not in known_implementations:
        return f"known are {', '.join(f'{scheme}://' for schemes in EXTRAS.values() for scheme in schemes)}"
    return "check the path, the credentials, and that the store can be reached"
