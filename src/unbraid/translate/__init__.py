"""Records to relay events: what is new, and who said it? Pure: no I/O, no clock."""
