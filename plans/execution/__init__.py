"""Plan to Spark: the only package that imports pyspark."""
