"""Alembic environment: run the migrations on the caller's connection."""

from __future__ import annotations

from alembic import context

from compiled_plan.service.store.tables import Base

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=Base.metadata,
    render_as_batch=True,  # SQLite alters a table by creating a copy.
)
with context.begin_transaction():
    context.run_migrations()
