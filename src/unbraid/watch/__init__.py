"""Every session on this machine, followed."""
