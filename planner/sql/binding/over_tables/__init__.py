"""Functions over a table in FROM: a module for each, of its name, whose `bind_call` gives the rows of a call."""
