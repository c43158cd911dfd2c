"""Registration of user functions, and resolution of their calls into expressions."""
