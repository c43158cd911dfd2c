"""Flink SQL text to statements (parsing), and statements to algebra (binding)."""
