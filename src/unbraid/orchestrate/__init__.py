"""A fleet of our own: a master that delegates, and the agents it delegates to."""
