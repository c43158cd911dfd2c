"""Text formats of plans: durations, time zones, Flink's JSON; masking of secrets."""
