"""The log in one SQLite file: the engine that needs no set-up."""
