"""The SQL shell: prompt, completion, results; statements run in a session of the API (`plan-shell`)."""
