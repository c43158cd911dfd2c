"""Access to the service: tokens and their roles, sessions of the page, limits, headers, refusals as problem details."""
