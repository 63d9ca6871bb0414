"""Claude Code's records to relay events: stdout and transcripts, of every version. Pure."""
