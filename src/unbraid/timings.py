"""How long the program waits, and for what: each number with its reason. What only one module needs
may stand in that module.

A name says what it is without its neighbours. Numbers that people can set on the command line have
their defaults here too.
"""

from __future__ import annotations

# --- sources that are written side by side (read/sequencer.py) ---
# Claude Code writes each transcript by itself, so a parent's may be ahead of its child's by
# moments: a line that reports an agent's end stays in its file this long before it is read.
CHILD_FILE_SETTLE_SECONDS = 0.1
# Files and folders are dated by the ticks of a clock, at most 10 ms apart: a second change within
# one leaves no trace. A date as young as this is not believed to be the last one.
FILE_DATE_TICK_SECONDS = 0.1

# A record that arrives later than this after its own time was not read while it happened.
LIVE_RECORD_MS = 60_000

# --- watching this machine (record/, agents/) ---
# A session whose files changed within this time may be at work: a watch begins with those.
RECENT_SESSION_SECONDS = 300.0
RECENT_ROWS_MS = 300_000
# A session that no process follows counts as live if it has changed within this time.
LIVE_SESSION_SECONDS = 60
# The system is asked which processes are alive: soon enough to see the end of an agent as one.
PROCESS_CHECK_SECONDS = 1.0
# A folder or database that is not there yet is looked for: agents make it before their first words.
STORE_APPEARING_POLL_SECONDS = 1.0

# --- running and piping (record/run.py) ---
# What a process prints is recorded as it comes; this often its files and rows are looked at too.
RUN_POLL_SECONDS = 0.05
# How far back a pipe's session may have begun before anything of it came through.
PIPE_BEGAN_MS = 60_000

# --- leases ---
# On a log that many machines share, a holder that has not been heard of for so long is gone, and
# another machine may take its runs. It says that it lives three times as often.
LEASE_TTL_SECONDS = 15.0
LEASE_RENEWAL_SECONDS = 5.0

# --- the log ---
# Another process may be writing to the same file; a transaction takes milliseconds.
SQLITE_BUSY_TIMEOUT_SECONDS = 5.0

# --- a log that many machines share (log/replicated/, log/nats/) ---
# An append without an answer is sent again for so long; a new leader is found in 4 to 9 seconds.
APPEND_DEADLINE_SECONDS = 30.0
# A node that contradicts an acknowledgement may have been cut off; by then it has caught up.
NATS_LOST_SECONDS = 15.0
# The deletion of a run is remembered for copies that were offline for up to this long.
FORGOTTEN_KEPT_SECONDS = 30 * 86400.0
# A feed that broke is made anew after a moment; a leader may have to be found first.
FOLD_RETRY_SECONDS = 0.1
# Requests that are answered take milliseconds; a large append some seconds.
NATS_REQUEST_TIMEOUT_SECONDS = 2.0
BATCH_TIMEOUT_SECONDS = 10.0
NATS_FIRST_RETRY_SECONDS = 0.02
NATS_LONGEST_RETRY_SECONDS = 0.5
# A cluster that has just started has no leader yet, and nodes may be away: they are asked again.
NATS_PLACEMENT_SECONDS = 10.0
NATS_RETRY_SECONDS = 0.2
# What is there of one run is read again from where it broke off, as long as more comes.
READ_DEADLINE_SECONDS = 10.0
# An answer or an error within seconds, also if the machine is gone without a word.
MACHINE_REQUEST_TIMEOUT_SECONDS = 5.0

# --- viewers (serve/) ---
# A browser stays signed in for a month.
SIGN_IN_SESSION_SECONDS = 30 * 24 * 3600

# --- another server (log/remote/, send/) ---
# A question is answered, and a chunk committed, within moments, or the network is down.
SERVER_REQUEST_TIMEOUT_SECONDS = 10.0
# Pauses double from the first to the longest while a server cannot be reached.
SEND_FIRST_RETRY_SECONDS = 0.1
SEND_LONGEST_RETRY_SECONDS = 5.0

# --- a fleet of our own (orchestrate/) ---
# How long a master waits for a further message: served over HTTP, and in a terminal.
SERVED_MASTER_IDLE_SECONDS = 900.0
ASK_MASTER_IDLE_SECONDS = 24 * 3600.0

# --- programs that we start ---
# Sixteen agents may start at once, on a small machine.
AGENT_START_TIMEOUT_SECONDS = 180.0
# A turn that was interrupted ends within a second or two; a busy machine gets more.
AGENT_INTERRUPT_TIMEOUT_SECONDS = 20.0

# --- hooks in CLIs (agents/port.py) ---
# A process that holds a request reports that this often. A hook that hears nothing for the time
# below takes it that we are stopped (Ctrl-Z) or hang, and leaves its request to the CLI.
HOOK_BEAT_SECONDS = 2.0
HOOK_SILENCE_TIMEOUT_SECONDS = 10.0
# A page or terminal that answers declares so again before this is over; none can declare longer.
ATTENDANCE_SECONDS = 30.0
ATTENDANCE_LONGEST_SECONDS = 3600.0

# --- alerts (fold/alerts/, send/) ---
# What became due this long before anyone looked is history: no alert is sent for it.
ALERT_STALE_MS = 300_000
