"""Catalogs of lakes, whose tables are read when a program names them: Iceberg, Delta Lake, catalogs of Spark."""
