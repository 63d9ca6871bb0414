"""What OpenCode's plugin calls us for, and how it is installed."""
