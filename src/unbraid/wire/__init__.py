"""Bytes to records and back: what is a line, and what does it hold? Pure: no I/O, no clock."""
