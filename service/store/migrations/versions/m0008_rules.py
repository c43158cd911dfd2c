"""Rules of alerts, and alerts with pending messages."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "m0008"
down_revision = "m0007"


def upgrade() -> None:
    """Create the table, and add the column."""
    op.create_table(
        "alert_rules",
        sa.Column("name", sa.String(length=64), primary_key=True),
        sa.Column("rule", sa.JSON(), nullable=False),
        sa.Column("changed_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("changed_by", sa.String(length=128), nullable=False),
    )
    op.add_column("alerts", sa.Column("pending", sa.Boolean(), nullable=False, server_default=sa.true()))
    op.create_index("alerts_by_pending", "alerts", ["pending"])


def downgrade() -> None:
    op.drop_index("alerts_by_pending", "alerts")
    op.drop_column("alerts", "pending")
    op.drop_table("alert_rules")
