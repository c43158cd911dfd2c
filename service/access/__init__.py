"""Who may do what: tokens and their roles, sessions of the page, limits, headers."""
