"""Spark's Real-time Mode: all stages run at once, rows stream through them, and a batch is a checkpoint interval."""
