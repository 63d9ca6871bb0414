"""OpenCode's stored sessions: its database, its older files and its servers, followed."""
