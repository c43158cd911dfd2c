"""Session options and their values over Flink's defaults."""
