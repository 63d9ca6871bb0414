"""`run` and `pipe`: a process passed through and recorded."""
