"""Compiled plans: reading, checking, inspecting and running them."""
