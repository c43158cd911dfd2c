"""Parts of a session: one mixin of `TableEnvironment` per topic."""
