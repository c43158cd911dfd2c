"""The rules of all node types: a file here for each file of `plans.nodes`, loaded with the nodes of a plan."""
