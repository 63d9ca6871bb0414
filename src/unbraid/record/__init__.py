"""Chunks of a run's sources to committed events of its log."""
