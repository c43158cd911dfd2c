"""The release of the product."""

from __future__ import annotations

#: The name of the distribution.
DISTRIBUTION = "compiled-plan"


def product_version() -> str:
    """The release of the product; empty if it is not installed."""
    from importlib import metadata  # Loads the parser of mails: half of the modules of `--help`.

    try:
        return metadata.version(DISTRIBUTION)
    except metadata.PackageNotFoundError:
        return ""
