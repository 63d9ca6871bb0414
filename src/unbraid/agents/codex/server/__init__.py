"""`codex exec` that can be steered: the same work, done by a `codex app-server` that we talk to."""
