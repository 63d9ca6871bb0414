"""How long the program waits, and for what: each number with its reason. What only one module needs
may stand in that module.

A name says what it is without its neighbours. Numbers that people can set on the command line have
their defaults here too.
"""

from __future__ import annotations

# --- sources that are written side by side (translate/sequencer.py) ---
# Claude Code writes each transcript by itself, so a parent's may be ahead of its child's by
# moments: a line that reports an agent's end stays in its file this long before it is read.
CHILD_FILE_SETTLE_SECONDS = 0.1
# The end of an agent waits at most this long for the agent's own answer. After a kill there is
# none, and a finished agent must not be shown as working for longer than this.
CHILD_ANSWER_TIMEOUT_SECONDS = 1.0
# The transcripts follow stdout by up to a few hundred milliseconds. A line of stdout waits at most
# this long for its twin in a transcript.
STDOUT_TWIN_TIMEOUT_SECONDS = 1.0
# Once the twin is there, the other files get this long to bring what was written before it.
STDOUT_TWIN_SETTLE_SECONDS = 0.1
# A line of stdout that has no twin goes when no transcript has grown for this long.
TRANSCRIPTS_QUIET_SECONDS = 0.15
# The session's own transcript repeats what stdout has said already. It is needed when stdout stalls
# and for what stdout never has, so stdout gets this long to be first.
OWN_TRANSCRIPT_DELAY_SECONDS = 0.25
# OpenCode stores a text when it has ended, which may be seconds after the call that follows it. A
# call waits at most this long for the texts before it: after a kill they are never stored.
TEXT_BEFORE_CALL_TIMEOUT_SECONDS = 3.0
# A database of some megabytes is read in a second of computing, a larger one in proportion. One
# that takes far longer leads in circles, and its reader could not even be stopped.
DATABASE_READ_CPU_SECONDS = 30.0
# From the end that a row names to its being stored.
ROW_STORING_MS = 2000
# Rows are found by when they changed: if the clock is put back by so much, none is lost.
ROW_CLOCK_STEP_MS = 2000
# Files and folders are dated by the ticks of a clock, at most 10 ms apart: a second change within
# one leaves no trace. A date as young as this is not believed to be the last one.
FILE_DATE_TICK_SECONDS = 0.1

# A record that arrives later than this after its own time was not read while it happened.
LIVE_RECORD_MS = 60_000
# What a process of Claude Code publishes and what its hooks say of one dialog are this close.
SAME_DIALOG_MS = 3000
# No person answers a dialog faster.
DIALOG_ANSWER_MS = 300
# A thread's file of Codex is written after its children were started; clocks are less exact.
THREAD_FILE_SLACK_MS = 120_000
# A session is last written to a little after its agent says that it is over.
SESSION_END_WRITTEN_MS = 1000

# --- many sessions at once (record/recorder.py) ---
# Translating is computing on the event loop, where viewers and other sessions wait for their turn:
# what is translated at a time gets smaller until it takes no longer than this.
TRANSLATION_SLICE_SECONDS = 0.005
# While the log's writer is busy, it counts as able to append for this long after a commit: what it
# is given at once may take seconds on a slow disk.
COMMIT_FRESH_SECONDS = 5.0
# A health check waits this long for its write, and then judges by the time of the last commit.
SLOW_COMMIT_SECONDS = 0.2
# Appends share a transaction until it has taken so long, many times what a sync costs: no append
# waits for the megabytes of many sessions.
TRANSACTION_SECONDS = 0.1

# --- changes of files (system/file_changes.py) ---
# The backend asks its queue in steps. Where words arrive it has to ask often; where nothing
# happens, asking often would cost more than all the rest together.
NOTIFY_BUSY_SECONDS = 2.0
NOTIFY_BUSY_STEP_MS = 2
NOTIFY_IDLE_STEP_MS = 30
# Changes of one moment are one wake-up.
NOTIFY_GATHER_MS = 8
# A wake-up without a change, so that the waiting task can also look at the clock.
NOTIFY_PULSE_MS = 1000

# --- watching this machine (watch/, sessions/) ---
# A session whose files changed within this time may be at work: a watch begins with those.
RECENT_SESSION_SECONDS = 300.0
RECENT_ROWS_MS = 300_000
# A run whose session says nothing for this long is taken to have ended.
IDLE_RUN_TIMEOUT_SECONDS = 1800.0
# What files get this soon after they were found may have been copied with the rest of them.
RESTORED_FILE_SECONDS = 10.0
# A session with old times is over only if its files rest this long: its clock may be wrong.
RESTORED_QUIET_SECONDS = 60.0
# A session that no process follows counts as live if it has changed within this time.
LIVE_SESSION_SECONDS = 60
# A process that continues a session may write moments before it is on its kind's list.
LAST_LINES_GRACE_SECONDS = 2.0
# A stored session that has been silent for longer is taken to be over.
SILENT_SESSION_SECONDS = 300
# `ps` lists sessions that changed within this time, unless all are asked for.
LISTED_SESSION_SECONDS = 24 * 3600
# The newest sessions are listed before a watch does anything else, if they are read this soon.
FIRST_SESSIONS_TIMEOUT_SECONDS = 0.5
# A watch tries again this soon for a session that another process records.
WATCH_RETRY_SECONDS = 0.25
# Stopping a watch does not wait for a backlog: the next start records what is left by then.
WATCH_STOP_SECONDS = 1.0
# What was left unfinished in a shared log that is away at the start is asked for again this often.
WATCH_RESUME_SECONDS = 1.0
# The system is asked which processes are alive: soon enough to see the end of an agent as one.
PROCESS_CHECK_SECONDS = 1.0
# The system reports changes of files; it may lose one when very many come at once.
FOLDER_RESCAN_SECONDS = 300.0
# Where the system cannot report changes, the files are looked at.
FOLDER_POLL_SECONDS = 2.0
# A folder or database that is not there yet is looked for: agents make it before their first words.
STORE_APPEARING_POLL_SECONDS = 1.0
# inotify watches a new folder moments after it has reported it: so it is looked at again.
NEW_FOLDER_SETTLE_SECONDS = 0.3
# A look at a database that has not changed costs two `stat`s.
DATABASE_POLL_SECONDS = 0.1
# A server that has gone may come back on the same port.
SERVER_RECONNECT_SECONDS = 1.0

# --- running and piping (launch/) ---
# What a process prints is recorded as it comes; this often its files and rows are looked at too.
RUN_POLL_SECONDS = 0.05
# How far back a pipe's session may have begun before anything of it came through.
PIPE_BEGAN_MS = 60_000
# What Codex prints waits so long for the file that has the same words with their ids and times.
STORED_TWIN_APPEARING_SECONDS = 5.0
# Codex's folders, which may hold years, are searched for files of new agents this often.
NEW_AGENT_SCAN_SECONDS = 0.3

# --- leases ---
# A watch holds a session's lease for a moment to see whether there is anything to record.
LEASE_TIMEOUT_SECONDS = 0.5
LEASE_RETRY_SECONDS = 0.02
# An import of a session that another unbraid is recording waits for that one's first events.
IMPORT_LEASE_TIMEOUT_SECONDS = 10.0
IMPORT_LEASE_RETRY_SECONDS = 0.05
# A session that is part of another run (an orchestrated agent's) is marked as recorded there. The
# mark can be deleted when no process would take the session for a new one any more.
RECORDED_MARK_KEPT_SECONDS = 30 * 86400
# On a log that many machines share, a holder that has not been heard of for so long is gone, and
# another machine may take its runs. It says that it lives three times as often.
LEASE_TTL_SECONDS = 15.0
LEASE_RENEWAL_SECONDS = 5.0
# A process that stops releases all leases within this time, if it can reach the nodes.
LEASE_CLOSE_SECONDS = 4.0
# If a holder's key is missing because the nodes were away, it is written again within this.
DEAD_HOLDER_SECONDS = 10.0
# The mark of a deleted key is needed only by processes that are about to write the key.
DELETED_KEY_SECONDS = 60.0
# A cluster without a leader finds one within 4 to 9 seconds; no caller waits longer.
BUCKET_DEADLINE_SECONDS = 10.0

# --- the log ---
# Another process may be writing to the same file; a transaction takes milliseconds.
SQLITE_BUSY_TIMEOUT_SECONDS = 5.0
# Who deletes much pauses for this long between transactions: SQLite lets whoever asks at the right
# moment write, and other processes ask every 0.1 seconds.
WRITER_PAUSE_SECONDS = 0.11
# Commits of other processes are looked for often for a while after each, and seldom otherwise.
LOG_LIVELY_SECONDS = 5.0
LOG_LIVELY_POLL_SECONDS = 0.05
LOG_IDLE_POLL_SECONDS = 0.2
# A view of the log looks this often whether it is still there: no event would say so.
LOG_REPLACED_CHECK_SECONDS = 1.0
# Runs grow old slowly; and a log that is locked or full now may not be in an hour.
RETENTION_INTERVAL_SECONDS = 3600.0

# --- a log that many machines share (log/replicated, log/nats) ---
# A task that was cancelled and has not ended after so long has missed it, and is cancelled again.
CANCEL_AGAIN_SECONDS = 0.1
# An append without an answer is sent again for so long; a new leader is found in 4 to 9 seconds.
APPEND_DEADLINE_SECONDS = 30.0
# A node that contradicts an acknowledgement may have been cut off; by then it has caught up.
NATS_LOST_SECONDS = 15.0
# A leader hears of the others every second; from those that it has not heard of, it is cut off.
NATS_QUORUM_SECONDS = 5.0
# Reads wait so long for what this process has written, and for all that others have written.
OWN_WRITES_TIMEOUT_SECONDS = 5.0
SETTLE_TIMEOUT_SECONDS = 30.0
# A command that has just opened the log waits no longer than this before it answers.
CATCH_UP_SECONDS = 2.0
# The deletion of a run is remembered for copies that were offline for up to this long.
FORGOTTEN_KEPT_SECONDS = 30 * 86400.0
# A feed that broke is made anew after a moment; a leader may have to be found first.
FOLD_RETRY_SECONDS = 0.1
# Another process of this machine folds; when it is gone, the next one takes over this soon.
FOLD_LOCK_RETRY_SECONDS = 0.5
# Requests that are answered take milliseconds; a large append some seconds.
NATS_REQUEST_TIMEOUT_SECONDS = 2.0
BATCH_TIMEOUT_SECONDS = 10.0
NATS_FIRST_RETRY_SECONDS = 0.02
NATS_LONGEST_RETRY_SECONDS = 0.5
# A person who opens a log wants to know within moments that it cannot be reached.
NATS_OPEN_TIMEOUT_SECONDS = 3.0
NATS_CONNECT_TIMEOUT_SECONDS = 1
# A link that died in silence is noticed after two of these.
NATS_PING_SECONDS = 2
NATS_RECONNECT_SECONDS = 0.1
# A cluster that has just started has no leader yet, and nodes may be away: they are asked again.
NATS_PLACEMENT_SECONDS = 10.0
NATS_RETRY_SECONDS = 0.2
# A feed asks for more at least this often, and is alive as long as heartbeats come.
FEED_REQUEST_SECONDS = 30.0
FEED_HEARTBEAT_SECONDS = 0.5
FEED_SILENCE_SECONDS = 1.5
# What is there of one run is read again from where it broke off, as long as more comes.
READ_DEADLINE_SECONDS = 10.0
# Clocks that are further apart than this make times of events that do not fit together.
CLOCK_SKEW_SECONDS = 5.0
# Every machine is asked what can be steered there; those that are not known yet have this long.
MACHINE_REQUEST_GATHER_SECONDS = 0.3
# Those that answered the last time have longer: a busy machine is not gone.
MACHINE_REQUEST_KNOWN_SECONDS = 1.0
# An answer or an error within seconds, also if the machine is gone without a word.
MACHINE_REQUEST_TIMEOUT_SECONDS = 5.0

# --- viewers (hub/, serve/) ---
# So often a server looks how complete its copy of a shared log is; a list waits no longer for it.
COPY_STATE_SECONDS = 1.0
COPY_STATE_WAIT_SECONDS = 0.1
# A viewer that was cut off comes back after this long, by its own EventSource.
SSE_RETRY_MS = 1000
# The log could not be read. Its viewers are sent away, and find it again when they come back.
HUB_FEED_RETRY_SECONDS = 0.5
# An event for it would have to be kept up to date for every chunk of every viewer.
HUB_SETTLE_STEP_SECONDS = 0.01
# At the end of a command, viewers get this long to be given the last events.
PAGE_SETTLE_TIMEOUT_SECONDS = 1.0
# A server at this port answers at once, or is no unbraid of this machine.
PORT_CHECK_TIMEOUT_SECONDS = 1.0
# A viewer that did not read gets its `cut` event if it reads within this: it holds memory.
CUT_READ_TIMEOUT_SECONDS = 120.0
# A connection that does not take the last bytes is cut.
HANG_UP_TIMEOUT_SECONDS = 5.0
# A link to sign in works once; the day after, it is only something in a terminal's scrollback.
SIGN_IN_LINK_SECONDS = 24 * 3600
# A token that was revoked stops working at once; streams that it opened before end within this.
TOKEN_SWEEP_SECONDS = 1.0
# After too many wrong tokens an address waits a second before the next try, then two, up to this.
SIGN_IN_LONGEST_WAIT_SECONDS = 60.0
# An address that has not tried for this long is forgiven.
SIGN_IN_FORGET_SECONDS = 600.0
# A browser stays signed in for a month.
SIGN_IN_SESSION_SECONDS = 30 * 24 * 3600

# --- another server (remote/) ---
# A question is answered, and a chunk committed, within moments, or the network is down.
SERVER_REQUEST_TIMEOUT_SECONDS = 10.0
# Pauses double from the first to the longest while a server cannot be reached.
SEND_FIRST_RETRY_SECONDS = 0.1
SEND_LONGEST_RETRY_SECONDS = 5.0
# A process that can be steered polls for orders: how long a poll stays open, when it polls again if
# its runs are unknown there, when it counts as gone, how often it looks for new things to report.
STEERING_POLL_SECONDS = 20.0
STEERING_UNKNOWN_SECONDS = 0.5
STEERING_GONE_SECONDS = 10.0
STEERING_LOOK_SECONDS = 0.25

# --- a fleet of our own (orchestrate/) ---
# How long a master waits for a further message: served over HTTP, and at someone's desk.
SERVED_MASTER_IDLE_SECONDS = 900.0
ASK_MASTER_IDLE_SECONDS = 24 * 3600.0
# Deltas of one moment are one transaction.
JOURNAL_GATHER_SECONDS = 0.01

# --- the terminal (cli/, tui/) ---
# After this long without news, `tail` checks if its output is still read, and what it has missed.
FOLLOW_PAUSE_SECONDS = 1.0
# The page of a demo that nobody has opened stays this long.
DEMO_PAGE_SECONDS = 30
# Changes between two pictures are one picture.
TOP_DRAW_SECONDS = 0.1
TOP_LIST_SECONDS = 0.5
# Stored sessions are listed from disk, which costs more than listing the runs of a log.
STORED_SESSIONS_REFRESH_SECONDS = 2.0
# Who can be steered, and who waits for an answer.
TOP_CONTROL_POLL_SECONDS = 1.0
TOP_RETRY_SECONDS = 2.0
# The same error is shown again only after this long.
NOTICE_REPEAT_SECONDS = 30.0
# Every process that records a run is asked what it can steer; one may be stuck.
STEERING_ANSWER_TIMEOUT_SECONDS = 5.0
# A search begins when nothing was typed for this long.
SEARCH_TYPING_PAUSE_SECONDS = 0.3

# --- programs that we start ---
# A program that was asked to end gets this long before it is killed.
PROGRAM_END_GRACE_SECONDS = 3.0
# Between two looks for what a killed program had started: it is gone in no time.
PROGRAM_KILL_POLL_SECONDS = 0.01
# `--version` takes about a second; a wrapper may first have to unpack something.
VERSION_TIMEOUT_SECONDS = 20.0
# Sixteen agents may start at once, on a small machine.
AGENT_START_TIMEOUT_SECONDS = 180.0
# A turn that was interrupted ends within a second or two; a busy machine gets more.
AGENT_INTERRUPT_TIMEOUT_SECONDS = 20.0
# A server is asked this often whether that turn has ended.
AGENT_INTERRUPT_POLL_SECONDS = 0.05
# Sessions of ours are deleted when we are done with them; a server that is gone is not waited for.
SESSION_DELETE_TIMEOUT_SECONDS = 5.0
# An agent's stdin is closed this long after its answer: more messages may be on their way.
STDIN_END_SILENCE_SECONDS = 0.5
# Not every version reports of every sub-agent that it has ended.
STDIN_END_SILENCE_WITH_AGENTS_SECONDS = 30.0
# Nothing ends before its last rows have been recorded, which may wait for each other.
LAST_ROWS_GRACE_SECONDS = 4.0
# An agent's own server answers at once, but for prompts that it has to queue first.
AGENT_SERVER_REQUEST_TIMEOUT_SECONDS = 30.0
# Its heartbeat comes every 10 s: a stream that is silent for longer is dead.
AGENT_SERVER_SILENCE_TIMEOUT_SECONDS = 35.0
# A plugin is imported within a second; one that takes longer than this is left out.
PLUGIN_LOAD_TIMEOUT_SECONDS = 10.0

# --- hooks in CLIs (agents/hook_port.py) ---
# How long a CLI lets a hook of ours wait for a person. Its own limit would be ten minutes.
HOOK_HOLD_TIMEOUT_SECONDS = 86400.0
# A hook that runs at a tool call gives up after this, should we have stopped to answer.
HOOK_ANSWER_TIMEOUT_SECONDS = 5.0
# A caller has sent its request by then: all of it comes at once, from a program on this machine.
HOOK_REQUEST_TIMEOUT_SECONDS = 5.0
# A process that holds a request reports that this often. A hook that hears nothing for the time
# below takes it that we are stopped (Ctrl-Z) or hang, and leaves its request to the CLI.
HOOK_BEAT_SECONDS = 2.0
HOOK_SILENCE_TIMEOUT_SECONDS = 10.0
# A request that shows nothing in its terminal is given back to it if it was not answered by then.
HOOK_UNSEEN_HOLD_SECONDS = 300.0
# A hook may call for a session that has only just begun, before its files are found.
HOOK_SESSION_TIMEOUT_SECONDS = 3.0
# Claude Code writes a call into its transcript about a tenth of a second after it asks for it.
HOOK_CALL_SETTLE_SECONDS = 0.25
# A plugin that waits for orders calls again after this, well before it would give up.
PLUGIN_ORDERS_SECONDS = 60.0
# What a plugin is asked to do, it does at once, if its process lives.
PLUGIN_REPLY_TIMEOUT_SECONDS = 10.0
# When the process that listens for hooks is gone, another one of ours takes its place this soon.
HOOK_SOCKET_RETRY_SECONDS = 1.0
# Of several that watch, the one that hooks call takes a new session first; the others wait so long.
HOOK_LISTENER_FIRST_SECONDS = 0.6
# A page or terminal that answers declares so again before this is over; none can declare longer.
ATTENDANCE_SECONDS = 30.0
ATTENDANCE_LONGEST_SECONDS = 3600.0
# A key that is pressed this soon after a request has appeared was meant for something else. The
# page waits as long (ARMED_AFTER_MS in web/src/control/Permission.svelte).
REQUEST_ARMED_SECONDS = 0.8
# How often `unbraid approve --wait` looks for new requests.
APPROVE_POLL_SECONDS = 1.0
# Claude Code copies a plugin in half a second; it may have to start for the first time.
PLUGIN_INSTALL_TIMEOUT_SECONDS = 60.0

# --- redaction ---
# A model pauses for longer in the middle of a word only when something is wrong with it.
REDACTION_HOLD_SECONDS = 3.0

# --- alerts (alerts/, notify/) ---
# What became due this long before anyone looked is history: no alert is sent for it.
ALERT_STALE_MS = 300_000

# --- the service (system/service.py) ---
# Enabling a unit waits until it has started, on a machine that may just have booted.
SERVICE_MANAGER_TIMEOUT_SECONDS = 60.0
# One that has failed is started again after this.
SERVICE_RESTART_SECONDS = 10
