"""The folder of a checkpoint: heads and generations, locks and leases, positions, the clock, checks for losses."""
