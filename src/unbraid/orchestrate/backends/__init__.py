"""What runs an agent: a CLI, a server or an API, behind one small interface."""
