"""The commands that Claude Code runs for us, by event.

Each is a few words of `sh` that end at once and print nothing while no process listens in our
folder. They change into the folder first: an address may not be longer than about 100 bytes, but a
folder may. `curl` is used without the person's settings and proxies.

`ask` may take as long as a person does, while it hears that we are alive: if we are stopped or
hang, it leaves its request to the CLI, and no hook calls us again before we continue. `orders` runs
at every tool call, so it calls us only at the first one, by which we know its session, and while
something waits for some session. `wait` stays beside an idle session until there is a message for
it, and wakes it by its exit code; where Claude Code would wait for it in turn (`-p`, and versions
that do not know `asyncRewake`) it ends at once.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from unbraid.agents.port import CALLERS_NAME, ORDERS_NAME, SOCKET_NAME, STALLED_NAME
from unbraid.timings import HOOK_SILENCE_TIMEOUT_SECONDS

# How long a CLI lets a hook of ours wait for a person. Its own limit would be ten minutes.
HOOK_HOLD_TIMEOUT_SECONDS = 86400.0
# A hook that runs at a tool call gives up after this, should we have stopped to answer.
HOOK_ANSWER_TIMEOUT_SECONDS = 5.0

# By this the commands are known again, whatever has rewritten the file around them.
MARK = "# unbraid"

ASK, ORDERS, WAIT = "ask", "orders", "wait"
EVENTS: Mapping[str, tuple[str, ...]] = {
    "PermissionRequest": (ASK,),
    "PreToolUse": (ORDERS,),
    "PostToolUse": (ORDERS,),
    "Stop": (ORDERS, WAIT),
    "SubagentStop": (ORDERS,),
    "SessionStart": (WAIT,),
    "UserPromptSubmit": (WAIT,),
}
OF_TOOLS = ("PermissionRequest", "PreToolUse", "PostToolUse")

# Versions name themselves like this to what they start, since they know how to be woken.
_WAKEABLE = "claude-code_2-1-[1-9][0-9][0-9]_*|claude-code_2-[2-9]*|claude-code_[3-9]*"

# Which session calls. Older versions have no session in the environment, but a process for each.
_CALLER = "$PPID-$CLAUDE_CODE_SESSION_ID"
# What `curl` says if nothing came in time.
_STALLED = f"[ $? = 28 ] && touch {STALLED_NAME} 2>/dev/null"


def command(what: str, folder: Path) -> str:
    """Returns what `sh` is to do."""
    enter = f"cd {shlex.quote(str(folder))} 2>/dev/null && [ -S {SOCKET_NAME} ]"
    enter += f" && [ ! -e {STALLED_NAME} ]"
    call = (
        f"curl -q -sf --noproxy '*' --unix-socket {SOCKET_NAME} -H Expect: "
        '-H "entrypoint: $CLAUDE_CODE_ENTRYPOINT" -H "process: $PPID" -H "version: $AI_AGENT" '
        f'-H "caller: {_CALLER}" --data-binary @-'
    )
    address = f"http://unbraid/claude/{what} 2>/dev/null"
    if what == ASK:
        # A hook that is ended takes `curl` with it, by which we know: the person has answered.
        ended = 'trap "kill $p 2>/dev/null; exit 0" TERM'
        silence = f'-H "beats: yes" -y {HOOK_SILENCE_TIMEOUT_SECONDS:g} -Y 1'
        begin = f"exec 3<&0; {call} {silence} {address} <&3 & p=$!"
        return f"{enter} || exit 0; {begin}; {ended}; wait $p; {_STALLED}; exit 0 {MARK}"
    if what == ORDERS:
        most = f"-m {HOOK_ANSWER_TIMEOUT_SECONDS:g}"
        wanted = f'{{ [ -e {ORDERS_NAME} ] || [ ! -e "{CALLERS_NAME}/{_CALLER}" ]; }}'
        return f"{enter} && {wanted} || exit 0; {call} {most} {address}; {_STALLED}; exit 0 {MARK}"
    knows = f'case "$AI_AGENT" in {_WAKEABLE}) ;; *) exit 0 ;; esac'
    in_terminal = '[ "$CLAUDE_CODE_ENTRYPOINT" = cli ]'
    return (
        f"{knows}; {in_terminal} && {enter} || exit 0; m=$({call} {address}) || exit 0; "
        f'[ -n "$m" ] || exit 0; printf %s "$m" >&2; exit 2 {MARK}'
    )


def hook_groups(folder: Path) -> dict[str, list[dict[str, Any]]]:
    """Returns what the settings are to have, by event."""
    return {event: [_group(event, what, folder) for what in EVENTS[event]] for event in EVENTS}


def _group(event: str, what: str, folder: Path) -> dict[str, Any]:
    hook: dict[str, Any] = {"type": "command", "command": command(what, folder)}
    if what == ORDERS:
        hook["timeout"] = 2 * int(HOOK_ANSWER_TIMEOUT_SECONDS)
    else:
        hook["timeout"] = int(HOOK_HOLD_TIMEOUT_SECONDS)
    if what == WAIT:
        hook["asyncRewake"] = True
    matcher = {"matcher": "*"} if event in OF_TOOLS else {}
    return {**matcher, "hooks": [hook]}


def is_ours(hook: Any) -> bool:
    """Returns whether a hook of the settings is one of ours, of whatever version."""
    text = hook.get("command") if isinstance(hook, dict) else None
    return isinstance(text, str) and text.rstrip().endswith(MARK)


def ours_in(groups: Any) -> Iterator[Any]:
    """Yields the hooks of ours among the groups of an event."""
    for group in groups if isinstance(groups, list) else ():
        hooks = group.get("hooks") if isinstance(group, dict) else None
        yield from filter(is_ours, hooks if isinstance(hooks, list) else ())
