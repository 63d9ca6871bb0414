"""The full-screen view of the log, in a terminal. Everything here is a reader of the log."""
