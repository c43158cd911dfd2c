"""Plans prepared to run, and their chain of keyed stages: its layout, the projections that carry rows between them."""
