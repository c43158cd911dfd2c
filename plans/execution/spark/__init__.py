"""Spark and its JVM: classes, types, files, errors, waiting for unavailable systems."""
