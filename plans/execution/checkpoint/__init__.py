"""The plan in a checkpoint."""

from plans.execution.checkpoint.description import Setting, describe
from plans.execution.checkpoint.store import FOLDER, Known, check, differences, store, stored_plan

__all__ = ["FOLDER", "Known", "Setting", "check", "describe", "differences", "store", "stored_plan"]
