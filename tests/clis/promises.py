"""What holds of every run: every block once, under its agent, in order; spawns; the bill."""

from __future__ import annotations

from unbraid import events as e
from unbraid.testing import assert_fleet

from .live import Live, Log
from .spending import OWN_REQUEST, Tokens, guessed, tokens_of
from .words import logged_words, printed, said

_FIRST_WITHOUT_OWN_REQUESTS = (2, 1)


def keeps_its_promises(live: Live) -> None:
    """Of the stream alone, all that was printed is logged; of all sources, all that was said."""
    assert logged_words(live.stream.events, live.stream.agents) == printed(live.recording)
    assert logged_words(live.merged.events, live.merged.agents) == said(live.recording)
    for log in live.logs:
        log_is_sound(log)
    bill_is_right(live)


def log_is_sound(log: Log) -> None:
    """A child begins before it speaks, and while its parent still runs; nothing is unknown."""
    assert_fleet(log.events)
    assert "nobody" not in log.agents.values(), "a stream of a call that has spawned nobody"
    assert not log.all(e.FleetMalformed)
    ended: set[int] = set()
    for event in log.events:
        if isinstance(event, e.StreamStart):
            assert event.parent_stream_id not in ended
        elif isinstance(event, e.StreamEnd):
            ended.add(event.stream_id)


def bill_is_right(live: Live) -> None:
    """Each agent's messages are charged once, and `done` has the sum of them all.

    CLIs ask the model for things of their own. OpenCode's (a title for a `run`) are not in its
    database. Claude Code before 2.1 (a quota check, topics of prompts, the warm-up of agents) has
    them in the account that its results carry, unless it ended before the answer was there.
    """
    wrong = guessed(live.merged.events, live.merged.agents, live.charged)
    assert not wrong, f"Late: {wrong} are estimates"
    total = Tokens()
    for charged in live.charged.values():
        total = total.plus(charged)
    [done] = live.merged.all(e.Done)
    accounted = 0
    if live.case.cli == "claude" and live.case.release < _FIRST_WITHOUT_OWN_REQUESTS:
        accounted = live.own_requests
    bills = [total.plus(OWN_REQUEST, times) for times in range(accounted + 1)]
    assert tokens_of(done) in bills
