"""Relay events to fleet events: who is which stream? Pure: no I/O, no clock."""
