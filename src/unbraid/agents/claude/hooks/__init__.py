"""What Claude Code's hooks call us for, and how they are installed."""
