"""Codex's dialect: what its lines mean."""
