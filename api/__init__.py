"""The Python API: environments, tables, results and plans, on top of the planner and the executor.

Programs import the public names with `import compiled_plan as cp`.
"""
