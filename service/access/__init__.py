"""Access control: tokens and roles, page sessions, rate limits, response headers, problem details."""
