"""Random edits of plan files: each is refused by pointer, changes nothing, or makes another plan that runs."""
