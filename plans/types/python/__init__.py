"""Types out of Python: annotations and hints of functions and classes, and the classes that values are in Python."""
