"""FROM_CHANGELOG in FROM; see `to_changelog`."""

from compiled_plan.planner.sql.binding.over_tables.to_changelog import bind_call

__all__ = ["bind_call"]
