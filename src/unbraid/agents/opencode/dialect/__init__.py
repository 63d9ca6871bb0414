"""OpenCode's records to relay events. Pure."""
