"""Basics of the service: settings, home folder, limits on texts and load, and the check of a plan's resources."""
