"""Flink's grammar: tokens, a cursor over them, and one mixin per part of the language."""
