"""What a run tells of itself, for those who look on: a file of its progress, Prometheus, OpenLineage.

All of them are given the same messages, the JSON documents of `execute-plan --json`.
"""
