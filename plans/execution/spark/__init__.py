"""Spark and its JVM: classes, types, files, errors, waiting for what is away."""
