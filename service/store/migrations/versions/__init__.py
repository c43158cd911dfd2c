"""Migrations, one per file, in the order of `down_revision`."""
