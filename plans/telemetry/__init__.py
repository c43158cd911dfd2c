"""Telemetry of a run: a file of its progress, Prometheus, OpenLineage.

All of them receive the same messages, the JSON documents of `execute-plan --json`.
"""
