"""The release of the product."""

from __future__ import annotations

from importlib import metadata

#: The name of the distribution.
DISTRIBUTION = "compiled-plan"


def product_version() -> str:
    """The release of the product; empty if it is not installed."""
    try:
        return metadata.version(DISTRIBUTION)
    except metadata.PackageNotFoundError:
        return ""
