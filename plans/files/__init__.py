"""Access to plan files and folders, local and remote (`s3://...`)."""

from compiled_plan.plans.files.kinds import PROGRAM
from compiled_plan.plans.files.local import exists, read_text, write_text
from compiled_plan.plans.files.paths import is_remote, quoted

__all__ = ["PROGRAM", "exists", "is_remote", "quoted", "read_text", "write_text"]
