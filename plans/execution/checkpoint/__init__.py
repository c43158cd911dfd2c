"""The plan in a checkpoint."""

from plans.execution.checkpoint.store import FOLDER, check, describe, differences, store, stored_plan

__all__ = ["FOLDER", "check", "describe", "differences", "store", "stored_plan"]
