"""Bytes to records to relay events: what is a line, what is new in it, and who said it? Pure: no
I/O, no clock."""
