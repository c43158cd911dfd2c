"""Roles, each of which may do what those before it may."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Role(Enum):
    """What a token may do: look; edit programs and TTLs; start, stop, upgrade, delete, and give tokens."""

    VIEWER = "viewer"
    EDITOR = "editor"
    OPERATOR = "operator"

    def may(self, needed: Role) -> bool:
        """Whether this role has what another one has."""
        order = list(Role)
        return order.index(self) >= order.index(needed)


@dataclass(frozen=True, slots=True)
class Principal:
    """Who asks.

    Args:
        name: the name of the token, which versions are signed with.
        token: id of the token; None where none is needed.
    """

    name: str
    role: Role
    token: int | None = None


#: Who asks where no token is needed: a person at this machine.
LOCAL = Principal("local", Role.OPERATOR)
