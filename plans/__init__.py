"""The plan file and everything that is done with one."""
