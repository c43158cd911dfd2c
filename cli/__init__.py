"""The commands: they read options, call the packages below and print."""
