"""Ground of the service: settings, home, bounds on texts and on work, and the check of what plans reach."""
