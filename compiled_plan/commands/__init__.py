"""Basics of all commands: their registry, applications, exit codes, signals, and the config file."""
