"""Another unbraid server, as a log and as a destination."""
