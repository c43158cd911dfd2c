"""Formats: how rows are written in files."""


def load_formats() -> None:
    """Import every format, which registers it."""
    from plans.execution.formats import avro, csv, data_old_json, debezium_json, json, orc, parquet, raw  # noqa: F401
