"""The Spark session of a process: how it starts, what a run is told, how it stops."""
