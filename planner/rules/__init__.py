"""The passes over relational trees, one a file: each gives trees of the same meaning.

Their order, and why it is that, is `planner.pipeline.PIPELINE`; what several of them share is in `helpers/`.
"""
