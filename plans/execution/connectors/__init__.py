"""Connectors: where rows come from and go to."""


def load_all() -> None:
    """Import every connector, which registers it."""
    from plans.execution.connectors import blackhole, datagen, filesystem, print  # noqa: F401
