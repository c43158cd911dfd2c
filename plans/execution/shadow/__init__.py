"""Shadow runs: a changed program on a copy of a checkpoint, compared with the program that the checkpoint holds."""
