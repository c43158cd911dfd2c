"""Import of a Flink savepoint: its state and positions become the first generation of a checkpoint"""
