"""The Spark session of a process: start, options of a run, stop."""
