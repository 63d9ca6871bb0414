"""Steering runs: in this process, by socket, through a server."""
