"""Table program to CompiledPlan; imports no Spark and starts no JVM."""
