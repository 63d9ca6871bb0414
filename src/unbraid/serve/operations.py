"""A route and its description in one value, so that what is served and what is documented cannot
differ; and what a request says, checked. Nothing else in this package looks at raw parameters.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar
from urllib.parse import parse_qsl

import msgspec
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import ASGIApp

from unbraid.errors import CallerError
from unbraid.events import FLEET_EVENTS
from unbraid.log.summary import RunSummary
from unbraid.read.names import RUN_PATTERN, checked_run
from unbraid.serve.access import Scope
from unbraid.serve.problems import Problem
from unbraid.serve.services import services_of

JSON = "application/json"
FORM = "application/x-www-form-urlencoded"
MAX_FIELDS = 10
MAX_TEXT_CHARS = 500
MAX_NUMBER = 2**53 - 1
UNPACKED_BYTES = 1 << 16
EVENT_TYPES = frozenset(str(event.__struct_config__.tag) for event in FLEET_EVENTS)

NUMBER = {"type": "integer", "minimum": 0, "maximum": MAX_NUMBER}
TEXT = {"type": "string", "maxLength": MAX_TEXT_CHARS, "pattern": "^[^\\u0000]*$"}
RUN_ID = {"type": "string", "pattern": RUN_PATTERN}
REQUEST_ID = {"type": "string", "pattern": "^[A-Za-z0-9][A-Za-z0-9._:-]{0,199}$"}

_DIGITS = re.compile(r"[0-9]{1,16}")
_REQUEST_ID = re.compile(REQUEST_ID["pattern"])
_PATH_NAME = re.compile(r"{(\w+)}")

T = TypeVar("T")
Endpoint = Callable[[Request], Awaitable[ASGIApp]]


@dataclass(frozen=True)
class Parameter:
    """A parameter of the query (or, with `where`, of the path or the header)."""

    name: str
    schema: dict[str, Any]
    description: str = ""
    where: str = "query"
    required: bool = False


@dataclass(frozen=True, kw_only=True)
class Operation:
    """One method of one path. `scope` is what a caller needs; None: anyone may."""

    method: str
    path: str
    endpoint: Endpoint
    summary: str
    answer: Any = None
    media: str = "application/json"
    status: int = 200
    parameters: tuple[Parameter, ...] = ()
    body: Any = None
    body_media: str = "application/json"
    problems: frozenset[int] = frozenset()
    scope: Scope | None = "read"


PATH_PARAMETERS = {
    name: Parameter(name, schema, description, where="path", required=True)
    for name, schema, description in (
        ("run", RUN_ID, "The run's id."),
        ("stream_id", NUMBER, "The stream's number; 0 is the main agent."),
        ("request_id", REQUEST_ID, "The request's id."),
        ("process", RUN_ID, "A name that the process has chosen for itself."),
    )
}


def operation(
    route: str,
    summary: str,
    *,
    parameters: tuple[Parameter, ...] = (),
    body: Any = None,
    problems: tuple[int, ...] = (),
    **more: Any,
) -> Callable[[Endpoint], Operation]:
    """Makes an operation of an endpoint: `route` is its method and its path. Parameters of the path
    are added, and the problems that any parameter, any body and any run can have.
    """
    method, path = route.split()
    everything = (*(PATH_PARAMETERS[name] for name in _PATH_NAME.findall(path)), *parameters)
    wrong = {*problems, *((400,) if everything or body else ()), *((413, 415) if body else ())}
    wrong |= {404} if path.startswith("/v1/runs/{run}") else set()

    def made(endpoint: Endpoint) -> Operation:
        return Operation(
            method=method,
            path=path,
            endpoint=endpoint,
            summary=summary,
            parameters=everything,
            body=body,
            problems=frozenset(wrong),
            **more,
        )

    return made


def json_answer(value: Any, status: int = 200) -> Response:
    """Returns a value as a JSON answer."""
    return Response(msgspec.json.encode(value), status, media_type="application/json")


def run_of(request: Request) -> str:
    """Returns the run in the path."""
    return checked_run(request.path_params["run"])


def stream_of(request: Request) -> int:
    """Returns the stream in the path."""
    return _number("stream_id", request.path_params["stream_id"])


def request_id_of(request: Request) -> str:
    """Returns the permission request in the path."""
    found: str = request.path_params["request_id"]
    if not names_request(found):
        raise CallerError("not a request id")
    return found


def names_request(request_id: str) -> bool:
    """Returns whether a permission request can have this id."""
    return _REQUEST_ID.fullmatch(request_id) is not None


def number_of(request: Request, name: str, *, at_most: int = MAX_NUMBER) -> int | None:
    """Returns a whole number in the query."""
    text = request.query_params.get(name)
    return None if text is None else _number(name, text, at_most)


def text_of(request: Request, name: str) -> str | None:
    """Returns some text in the query."""
    found = request.query_params.get(name)
    if found is not None and (len(found) > MAX_TEXT_CHARS or "\0" in found):
        raise CallerError(f"{name}: at most {MAX_TEXT_CHARS} characters, none of them NUL")
    return found


def choice_of(request: Request, name: str, allowed: tuple[str, ...]) -> str | None:
    """Returns one of a few words in the query."""
    found = request.query_params.get(name)
    if found is not None and found not in allowed:
        raise CallerError(f"{name}: one of {', '.join(allowed)}")
    return found


def types_of(request: Request) -> frozenset[str]:
    """Returns the event types asked for, comma-separated or given again and again."""
    asked = {name for part in request.query_params.getlist("types") for name in part.split(",")}
    asked.discard("")
    if unknown := asked - EVENT_TYPES:
        raise CallerError(f"types: no such event type: {min(unknown)[:40]!r}")
    return frozenset(asked)


def since_of(request: Request) -> int | None:
    """Returns where a viewer wants to continue: a browser's own header wins, it is newer than the
    address.
    """
    header = request.headers.get("last-event-id")
    if header:
        return _number("Last-Event-ID", header)
    return number_of(request, "since")


async def body_of(request: Request, *, at_most: int, may_be_packed: bool = False) -> bytes:
    """Returns the whole body, refused as soon as it is too large. If it `may_be_packed`, with gzip,
    it is unpacked in small steps, and what is unpacked counts: a few bytes could be more than there
    is room for.
    """
    encoding = request.headers.get("content-encoding", "identity").lower()
    unpacker = zlib.decompressobj(wbits=31) if may_be_packed and encoding == "gzip" else None
    announced = request.headers.get("content-length", "0")
    if encoding != "identity" and unpacker is None:
        raise Problem(415, "this route does not accept a compressed body")
    if unpacker is None and (not announced.isdigit() or int(announced) > at_most):
        raise Problem(413, f"the body must not exceed {at_most} bytes")
    bodies, parts, size = services_of(request).bodies, list[bytes](), 0
    try:
        async for data in request.stream():
            plain = (data,) if unpacker is None else _unpacked(unpacker, data)
            for part in plain:
                size += len(part)
                if size > at_most:
                    raise Problem(413, f"the body must not exceed {at_most} bytes")
                if not bodies.take(request.scope, len(part)):
                    raise Problem(503, "too many large requests at once")
                parts.append(part)
    except zlib.error as error:
        raise CallerError("the body is not compressed with gzip") from error
    except ClientDisconnect:
        # The client is gone and does not read this; but it must not be logged as our failure.
        raise Problem(400, "the body has no end") from None
    if unpacker is not None and not unpacker.eof:
        raise CallerError("the compressed body has no end")
    return b"".join(parts)


def _unpacked(unpacker: Any, packed: bytes) -> Iterator[bytes]:
    while packed and not unpacker.eof:
        yield unpacker.decompress(packed, UNPACKED_BYTES)
        packed = unpacker.unconsumed_tail
    if packed or unpacker.unused_data:
        raise CallerError("more follows the compressed body")


async def form_of(request: Request, kind: type[T], *, at_most: int) -> T:
    """Returns a form of a known shape, each field once."""
    _media(request, FORM)
    body = await body_of(request, at_most=at_most)
    try:
        pairs = parse_qsl(body.decode("ascii"), keep_blank_values=True, max_num_fields=MAX_FIELDS)
        if len(dict(pairs)) != len(pairs):
            raise ValueError("a field is given twice")
        return msgspec.convert(dict(pairs), kind)
    except ValueError as error:
        raise CallerError("the form does not have the expected fields") from error


async def json_of(request: Request, kind: type[T]) -> T:
    """Returns a JSON body of a known shape."""
    # A form can be posted across sites without asking; JSON cannot.
    _media(request, JSON)
    body = await body_of(request, at_most=services_of(request).config.limits.json_bytes)
    try:
        return msgspec.json.decode(body, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise CallerError(f"the body does not have the expected form: {error}") from error


def _media(request: Request, wanted: str) -> None:
    media = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media != wanted:
        raise Problem(415, f"the body must be {wanted}")


def _number(name: str, text: str, at_most: int = MAX_NUMBER) -> int:
    if not _DIGITS.fullmatch(text) or int(text) > at_most:
        raise CallerError(f"{name}: a whole number from 0 to {at_most}")
    return int(text)


def limit_of(most: int) -> Parameter:
    """Returns the parameter that limits how many results are returned."""
    return Parameter("limit", {"type": "integer", "minimum": 0, "maximum": most}, "How many.")


async def existing_run(request: Request) -> RunSummary:
    """Returns the run in the path, or 404. A stored session is imported into the log first."""
    run = run_of(request)
    summary = await services_of(request).all_runs.run(run)
    if summary is None:
        raise Problem(404, f"run not found: {run}")
    return summary
