"""Export of a checkpoint: its state and positions become a savepoint of Flink."""
