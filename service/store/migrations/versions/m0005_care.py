"""Owner and tags of pipelines; last error and growth of the state in their status."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "m0005"
down_revision = "m0004"

_STATUS: tuple[tuple[str, Any, dict[str, Any]], ...] = (
    ("last_error", sa.Text(), {"nullable": False, "server_default": ""}),
    ("last_error_at", sa.DateTime(timezone=True), {"nullable": True}),
    ("state_bytes", sa.BigInteger(), {"nullable": True}),
    ("state_growth", sa.Double(), {"nullable": True}),
)


def upgrade() -> None:
    op.add_column("pipelines", sa.Column("owner", sa.String(length=128), nullable=False, server_default=""))
    op.add_column("pipelines", sa.Column("tags", sa.Text(), nullable=False, server_default=""))
    for name, type_, options in _STATUS:
        op.add_column("statuses", sa.Column(name, type_, **options))


def downgrade() -> None:
    for name, _, _ in reversed(_STATUS):
        op.drop_column("statuses", name)
    op.drop_column("pipelines", "tags")
    op.drop_column("pipelines", "owner")
