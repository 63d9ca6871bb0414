"""A scripted model, runners of the real CLIs, and players of recordings: for tests of agents' streams."""
