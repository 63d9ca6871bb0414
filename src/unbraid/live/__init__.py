"""Agents while they work: started by us, piped through us, or found at work."""
