"""The JSON Schema of the plan file, generated from the node declarations."""
