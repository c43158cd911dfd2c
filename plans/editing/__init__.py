"""Editing plans: list state entries, set TTLs, check, lint."""

from plans.editing.check import check
from plans.editing.entries import StateLine, state_lines
from plans.editing.ttl import TtlEdit, parse_edit, set_ttls

__all__ = ["StateLine", "TtlEdit", "check", "parse_edit", "set_ttls", "state_lines"]
