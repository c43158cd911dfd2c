"""Connectors: where rows come from and go to."""

from importlib import import_module

NAMES = ("blackhole", "collect", "datagen", "filesystem", "inline", "print")


def load_all() -> None:
    """Import every connector, which registers it."""
    for name in NAMES:
        import_module(f"{__name__}.{name}")
