"""Table programs to plans: SQL, and the Table API. Imports no Spark and starts no JVM."""
