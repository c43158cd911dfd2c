"""Code shared by several passes, or too large for a pass's own file."""
