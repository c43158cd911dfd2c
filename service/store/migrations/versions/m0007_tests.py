"""Tests of versions."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "m0007"
down_revision = "m0006"


def upgrade() -> None:
    op.add_column("versions", sa.Column("tests_hash", sa.String(length=64), nullable=True))


def downgrade() -> None:
    op.drop_column("versions", "tests_hash")
