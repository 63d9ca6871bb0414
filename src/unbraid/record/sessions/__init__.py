"""The stored sessions of all kinds: found, listed, searched and imported."""
