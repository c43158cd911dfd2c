"""User functions in programs: how they are registered, and how calls of them become expressions."""
