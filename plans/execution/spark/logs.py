"""Logs of Py4J, the bridge to the JVM."""

from __future__ import annotations

import logging


def silence_py4j() -> None:
    """Drop what Py4J logs, with tracebacks, about failures that a run reports afterwards."""
    logging.getLogger().addFilter(_is_ours)
    logging.getLogger("py4j").setLevel(logging.CRITICAL)


def _is_ours(record: logging.LogRecord) -> bool:
    """Drop a message that Py4J logs to the root logger."""
    return record.msg != "Exception while sending command."
