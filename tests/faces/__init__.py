"""One run, asked of every face of the program, and of what its CLI has written down."""
