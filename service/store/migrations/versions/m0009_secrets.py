"""Secrets to which programs refer."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "m0009"
down_revision = "m0008"


def upgrade() -> None:
    op.create_table(
        "secrets",
        sa.Column("name", sa.String(length=128), primary_key=True),
        sa.Column("value", sa.LargeBinary(), nullable=False),
        sa.Column("pipelines", sa.JSON(), nullable=False),
        sa.Column("previews", sa.Boolean(), nullable=False),
        sa.Column("changed_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("changed_by", sa.String(length=128), nullable=False),
    )


def downgrade() -> None:
    op.drop_table("secrets")
