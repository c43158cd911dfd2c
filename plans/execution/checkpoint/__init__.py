"""The plan in a checkpoint."""
