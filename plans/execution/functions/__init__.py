"""User functions at run time: Python over Arrow batches. Workers import parts of it, so nothing is imported here."""
