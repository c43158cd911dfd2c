"""What several passes share, or one needs in a file of its own; none of them is a pass."""
