"""The names of PyFlink's Table API: `from compiled_plan.pyflink import ...` for `from pyflink.table import ...`."""
