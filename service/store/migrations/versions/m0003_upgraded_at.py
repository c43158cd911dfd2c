"""The time of the last upgrade, and the checkpoint's generation before it."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "m0003"
down_revision = "m0002"


def upgrade() -> None:
    op.add_column("wanted_runs", sa.Column("upgraded_at", sa.DateTime(timezone=True), nullable=True))
    op.add_column("wanted_runs", sa.Column("generation", sa.Integer(), nullable=False, server_default="0"))


def downgrade() -> None:
    op.drop_column("wanted_runs", "generation")
    op.drop_column("wanted_runs", "upgraded_at")
