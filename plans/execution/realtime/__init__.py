"""Spark's Real-time Mode: all stages run at once, rows stream through them, batches are the interval of checkpoints."""
