"""The chain of keyed stages: which operator runs where, and the projections that carry rows between them."""
