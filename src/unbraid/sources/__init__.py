"""Where bytes come from: files, folders, databases, processes."""
