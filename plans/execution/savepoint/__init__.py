"""Savepoints of Flink: their state and positions become the first generation of a checkpoint"""
