"""Operators, a file for each file of `plans.nodes`: the lineage of their nodes, verdicts and words of their kinds."""
