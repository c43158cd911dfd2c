"""Reading and writing plan files, and reading folders, local and remote (`s3://...`)."""

from compiled_plan.plans.files.local import exists, is_remote, read_text, write_text

__all__ = ["exists", "is_remote", "read_text", "write_text"]
