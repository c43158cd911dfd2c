"""Roles in ascending order; each role includes the permissions of the lower ones."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Role(Enum):
    """The permissions of a token: view; edit programs and TTLs; start, stop, upgrade, delete, and manage tokens."""

    VIEWER = "viewer"
    EDITOR = "editor"
    OPERATOR = "operator"

    def may(self, needed: Role) -> bool:
        """Return True if this role includes the permissions of another."""
        order = list(Role)
        return order.index(self) >= order.index(needed)


@dataclass(frozen=True, slots=True)
class Principal:
    """The authenticated client of a request.

    Args:
        name: the name of the token, the author of new versions.
        role: the role of the token.
        token: the id of the token; None if the service requires no tokens.
    """

    name: str
    role: Role
    token: int | None = None


#: The client of a service without tokens, a local user.
LOCAL = Principal("local", Role.OPERATOR)
