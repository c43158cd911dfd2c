"""What becomes of a changed program: a table of kinds of change, each tried, and random changes of random programs."""
