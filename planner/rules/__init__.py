"""Passes over relational trees, one per file; each preserves the meaning.

`planner.pipeline.PIPELINE` has their order and its reasons; `helpers/` has shared code.
"""
