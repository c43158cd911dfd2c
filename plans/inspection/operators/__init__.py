"""Operators, one file per file of `plans.nodes`: the lineage of their nodes, verdicts and labels of their kinds."""
