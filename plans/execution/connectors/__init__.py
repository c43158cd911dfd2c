"""Connectors: where rows come from and go to. A module has its connector's name, and is imported when it is used."""
