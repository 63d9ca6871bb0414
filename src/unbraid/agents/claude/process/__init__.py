"""Claude Code as a process: started, read, steered."""
