"""Codex's sessions on this machine."""
