"""Functions over a table in FROM: one module per function, under its name, whose `bind_call` returns the rows."""
