"""Tables, views and functions that a program knows."""
