"""Options of a session, and their values over Flink's defaults."""
