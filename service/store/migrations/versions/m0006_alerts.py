"""Alerts, and the tables of plans."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "m0006"
down_revision = "m0005"


def upgrade() -> None:
    op.create_table(
        "plan_tables",
        sa.Column("plan_hash", sa.String(length=64), primary_key=True),
        sa.Column("tables", sa.JSON(), nullable=False),
    )
    op.create_table(
        "alerts",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("pipeline_id", sa.Integer(), nullable=False),
        sa.Column("rule", sa.String(length=64), nullable=False),
        sa.Column("condition", sa.String(length=16), nullable=False),
        sa.Column("message", sa.Text(), nullable=False),
        sa.Column("value", sa.Double(), nullable=False),
        sa.Column("since", sa.DateTime(timezone=True), nullable=False),
        sa.Column("resolved_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("sent", sa.JSON(), nullable=False),
        sa.Column("resolution_sent", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(["pipeline_id"], ["pipelines.id"], ondelete="CASCADE"),
    )
    op.create_index("alerts_by_resolution", "alerts", ["resolved_at"])


def downgrade() -> None:
    op.drop_table("alerts")
    op.drop_table("plan_tables")
