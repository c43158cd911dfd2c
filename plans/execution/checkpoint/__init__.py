"""The plan in a checkpoint."""

from compiled_plan.plans.execution.checkpoint.comparison import Known, differences
from compiled_plan.plans.execution.checkpoint.description import Setting, describe
from compiled_plan.plans.execution.checkpoint.store import Store
from compiled_plan.plans.inspection.checkpoints import FOLDER, Head

__all__ = ["FOLDER", "Head", "Known", "Setting", "Store", "describe", "differences"]
