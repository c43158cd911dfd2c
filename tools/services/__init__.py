"""Servers that tests, samples and measurements talk to: real ones, without root, in a folder of the checkout."""
