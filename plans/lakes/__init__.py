"""Lakes read without Spark, while programs compile: names of tables, and their columns."""
