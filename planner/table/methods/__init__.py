"""The operations of `Table`, by what they do; each is carried out by the module of its concern."""
