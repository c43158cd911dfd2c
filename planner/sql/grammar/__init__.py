"""Flink's grammar: tokens, a cursor over them, and one mixin a part of the language."""
