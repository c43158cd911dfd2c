"""${message}."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "${up_revision}"
down_revision = ${repr(down_revision)}


def upgrade() -> None:
    """The step."""
    ${upgrades if upgrades else "pass"}


def downgrade() -> None:
    """The step back."""
    ${downgrades if downgrades else "pass"}
