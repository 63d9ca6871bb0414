"""What the operating system gives: files that grow, processes, news of changed files."""
