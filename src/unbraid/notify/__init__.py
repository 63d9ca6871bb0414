"""Alerts on their way to people: a person's rules file, and what sends messages."""
