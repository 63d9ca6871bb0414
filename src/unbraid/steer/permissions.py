"""The permission requests that wait for an answer: a state of the log, and of nothing else.

Which requests of a run are open is folded from its events (`unbraid.fold.status`). Of these, those
are listed that can be answered now: a run whose process is gone takes no answer, nor does a request
that was given back to its terminal.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from msgspec import Struct, field

from unbraid.agents.control_port import AnswerDetails, Controller, SteeringRequest, UnknownRequest
from unbraid.events import FleetPermissionAsked
from unbraid.log.port import LogReader, run_pages
from unbraid.steer.controllers import Controllers, NotControlled


class PermissionRequest(Struct):
    """An agent waits for someone to allow a tool.

    `always` are the CLI's own offers to allow it from now on. `also_in_terminal`: it is asked there
    too, and the first answer counts. `held_until` is when the request is given back to the CLI if
    it was not answered, in milliseconds since 1970; None if it waits without a limit.
    """

    run: str
    request_id: str
    tool: str
    input: Any
    stream_id: int = 0
    agent: str = ""
    ts: int = 0
    always: list[str] = field(default_factory=list)
    can_edit: bool = False
    also_in_terminal: bool = False
    held_until: int | None = None


class OpenRequests(Struct):
    """Permission requests, and how many more there are in runs that have too many."""

    requests: list[PermissionRequest] = field(default_factory=list)
    unlisted: int = 0


async def answerable_requests(log: LogReader, controllers: Controllers) -> OpenRequests:
    """Returns the requests that wait in any run and can be answered."""
    held = await controllers.everywhere()
    found = await open_requests(log, [run for run in held if "answer" in held[run].verbs()])
    found.requests = [each for each in found.requests if held[each.run].can_answer(each.request_id)]
    return found


async def open_requests(log: LogReader, runs: Iterable[str]) -> OpenRequests:
    """Returns the requests that wait in these runs, those of each in the order of its log."""
    found = OpenRequests()
    for run in runs:
        summary = await log.run(run)
        if summary is None or not summary.state.requests:
            continue
        found.unlisted += summary.state.unlisted
        waiting = summary.state.requests
        since = min(each.seq for each in waiting.values()) - 1
        shown: dict[str, PermissionRequest] = {}
        async for page in run_pages(log, run, max(0, since), types=("permission_asked",)):
            for entry in page:
                event = entry.event
                assert isinstance(event, FleetPermissionAsked)
                asked = waiting.get(event.request_id)
                # A summary of an earlier version does not have the seq: then the first is shown.
                if asked is not None and asked.seq in (0, event.seq):
                    shown.setdefault(event.request_id, _request(run, event))
            if len(shown) == len(waiting):
                break
        found.requests += shown.values()
    return found


def _request(run: str, event: FleetPermissionAsked) -> PermissionRequest:
    names = PermissionRequest.__struct_fields__
    return PermissionRequest(run, **{name: getattr(event, name) for name in names if name != "run"})


async def answer_request(
    log: LogReader,
    controllers: Controllers,
    request_id: str,
    behavior: str,
    *,
    message: str | None = None,
    details: AnswerDetails | None = None,
    run: str | None = None,
) -> None:
    """Answers a request, of any run or of the `run` that is given."""
    asking: list[Controller] = []
    for name, held in (await controllers.everywhere()).items():
        if run in (None, name) and held.can_answer(request_id):
            summary = await log.run(name)
            if summary is not None and request_id in summary.state.requests:
                asking.append(held)
    if not asking:
        raise UnknownRequest(request_id)
    if len(asking) > 1:
        # Runs of other machines name their requests as they like: who allows one of theirs must
        # not have allowed something else.
        problem = f"several runs have a request {request_id}"
        raise NotControlled(f"{problem}: name the run, too, or answer it on the page")
    await asking[0].carry_out(
        SteeringRequest(
            "answer", message, request_id=request_id, behavior=behavior, details=details
        )
    )
