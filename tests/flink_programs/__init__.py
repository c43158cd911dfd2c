"""Flink's own test programs and restore plans, here and in Flink: `make test-flink`; see the README."""
