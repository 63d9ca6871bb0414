"""Secrets, replaced: in sources on their way in, for readers on their way out."""
