"""Changed programs on existing state: a table of kinds of change, each tried, and random changes of random programs."""
