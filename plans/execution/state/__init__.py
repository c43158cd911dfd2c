"""State between runs: checkpoints, their inspection, upgrades, and the exchange with Flink."""
