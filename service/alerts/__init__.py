"""Alerts: rules on runs, evaluated in the supervisor's loop, and their messages to webhooks."""
