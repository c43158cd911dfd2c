"""The connector `datagen`."""
