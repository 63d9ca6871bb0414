"""Claude Code's stored sessions: its transcripts found, listed, searched and followed."""
