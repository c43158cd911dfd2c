"""Supervision of runs: start them as separate processes, find them again, restart and stop them."""
