"""Random programs, random changes of them, random rows: repeatable by a seed."""
