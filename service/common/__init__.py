"""Ground of the service: its settings and home, texts from outside, lanes for bounded work."""
