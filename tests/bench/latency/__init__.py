"""How long a row takes from the topic that it is written into to the one that has what comes of it."""
