"""The time of the next start of a waiting pipeline."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "m0004"
down_revision = "m0003"


def upgrade() -> None:
    op.add_column("statuses", sa.Column("until", sa.DateTime(timezone=True), nullable=True))


def downgrade() -> None:
    op.drop_column("statuses", "until")
