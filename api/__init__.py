"""Sessions of programs: what compiles, runs and shows things, on top of the planner and the executor.

`import compiled_plan as cp` has the names that programs use.
"""
