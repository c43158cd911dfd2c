"""Servers for tests, samples and measurements: real ones, without root, in a folder of the checkout."""
