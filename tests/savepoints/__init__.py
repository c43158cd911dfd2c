"""Savepoints of jobs in a real Flink, and the results of the same jobs without a stop."""
