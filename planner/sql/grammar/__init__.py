"""Flink's grammar on sqlglot's tokenizer, token cursor and expression classes, one mixin a part of the language."""
