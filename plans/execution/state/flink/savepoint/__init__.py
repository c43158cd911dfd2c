"""Savepoints and retained checkpoints of Flink in a neutral form, read by a process of its own. Imports no Spark."""
