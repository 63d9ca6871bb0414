"""Relay events to fleet events: which agent is which stream? Pure: no I/O, no clock."""
