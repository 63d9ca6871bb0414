"""After how much silence a stored session counts as what."""

# A session that nobody follows counts as live while it has spoken as lately as this.
LIVE_SECONDS = 60
# A session that has been silent for longer is over, as far as anyone can know.
QUIET_SECONDS = 300
