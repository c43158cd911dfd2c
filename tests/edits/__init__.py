"""Random edits of plan files: each is refused with a pointer, changes nothing, or gives another plan that runs."""
