"""Commands that run in a warm process, which keeps Spark between commands (`execute-plan --warm`)."""
