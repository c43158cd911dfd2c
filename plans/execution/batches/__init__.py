"""Micro-batches of a run: their rhythm, watermark, commits and figures."""
