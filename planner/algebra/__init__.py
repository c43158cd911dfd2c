"""The relational algebra between the front ends and the physical planner: immutable nodes."""
