"""Flink: a savepoint becomes the first generation of a checkpoint (import), a generation a savepoint (export)."""
