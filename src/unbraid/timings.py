"""How long the program waits, and for what: every such number, each with its reason.

A name says what it is without its neighbours. Numbers that people can set on the command line have
their defaults here too.
"""

from __future__ import annotations

# --- sources that are written side by side (translate/sequencer.py) ---

# Claude Code writes each transcript by itself, so a parent's may be ahead of its child's by
# moments: a line that reports an agent's end stays in its file this long before it is read.
CHILD_FILE_SETTLE_SECONDS = 0.1
# The end of an agent waits at most this long for the agent's own answer. After a kill there is
# none, and nobody should see a finished agent at work for longer than a breath.
CHILD_ANSWER_TIMEOUT_SECONDS = 1.0
# A folder's time of change counts in ticks of a few milliseconds: one that is younger than this
# could stand for two changes, of which one has not been seen.
FOLDER_TIME_SETTLE_SECONDS = 0.1

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
# What OpenCode prints may follow from rows that wait: it waits longer than they do.
STDOUT_ROWS_TIMEOUT_SECONDS = 4.0
# From the end that a row names to its being stored.
ROW_STORING_MS = 2000

# --- changes of files (system/notify.py) ---

# The backend asks its queue in steps. Where words arrive it has to ask often; where nothing
# happens, asking often would cost more than all the rest together.
NOTIFY_BUSY_SECONDS = 2.0
NOTIFY_BUSY_STEP_MS = 2
NOTIFY_IDLE_STEP_MS = 30
# Changes of one moment are one wake-up.
NOTIFY_GATHER_MS = 8
# A wake-up without a change, so that whoever waits can also look at the clock.
NOTIFY_PULSE_MS = 1000
