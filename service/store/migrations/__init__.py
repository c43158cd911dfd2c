"""Alembic scripts that migrate databases of earlier releases."""
