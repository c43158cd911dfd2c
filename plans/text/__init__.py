"""How things are written in plans: durations, time zones, JSON as Flink prints it, passwords that are not shown."""
