"""What a request says, checked. Nothing else in this package looks at raw parameters."""

from __future__ import annotations

import re
import zlib
from typing import TypeVar
from urllib.parse import parse_qsl

import msgspec
from starlette.requests import ClientDisconnect, Request

from unbraid.errors import CallerError
from unbraid.events import FLEET_EVENTS
from unbraid.read.names import checked_run
from unbraid.serve.problems import Problem
from unbraid.serve.services import services_of

JSON = "application/json"
FORM = "application/x-www-form-urlencoded"
MAX_FIELDS = 10
MAX_TEXT_CHARS = 500
MAX_NUMBER = 2**53 - 1
UNPACKED_BYTES = 1 << 16
TYPES = frozenset(str(event.__struct_config__.tag) for event in FLEET_EVENTS)

_DIGITS = re.compile(r"[0-9]{1,16}")
_REQUEST_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:-]{0,199}")

T = TypeVar("T")


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


def number(request: Request, name: str, *, at_most: int = MAX_NUMBER) -> int | None:
    """Returns a whole number in the query."""
    text = request.query_params.get(name)
    return None if text is None else _number(name, text, at_most)


def text(request: Request, name: str) -> str | None:
    """Returns some text in the query."""
    found = request.query_params.get(name)
    if found is not None and (len(found) > MAX_TEXT_CHARS or "\0" in found):
        raise CallerError(f"{name}: at most {MAX_TEXT_CHARS} characters, none of them NUL")
    return found


def choice(request: Request, name: str, allowed: tuple[str, ...]) -> str | None:
    """Returns one of a few words in the query."""
    found = request.query_params.get(name)
    if found is not None and found not in allowed:
        raise CallerError(f"{name}: one of {', '.join(allowed)}")
    return found


def types_of(request: Request) -> frozenset[str]:
    """Returns the event types asked for, comma-separated or given again and again."""
    asked = {name for part in request.query_params.getlist("types") for name in part.split(",")}
    asked.discard("")
    if unknown := asked - TYPES:
        raise CallerError(f"types: no such event type: {min(unknown)[:40]!r}")
    return frozenset(asked)


def since_of(request: Request) -> int | None:
    """Returns where a viewer wants to continue: a browser's own header wins, it is newer than the
    address.
    """
    header = request.headers.get("last-event-id")
    if header:
        return _number("Last-Event-ID", header)
    return number(request, "since")


class _Body:
    """The parts of a body so far, refused as soon as they are too large."""

    def __init__(self, request: Request, at_most: int) -> None:
        self.parts: list[bytes] = []
        self._scope, self._bodies = request.scope, services_of(request).bodies
        self._size, self._at_most = 0, at_most

    def add(self, part: bytes) -> None:
        self._size += len(part)
        if self._size > self._at_most:
            raise Problem(413, f"the body must not exceed {self._at_most} bytes")
        if not self._bodies.take(self._scope, len(part)):
            raise Problem(503, "too many large requests at once")
        self.parts.append(part)


async def body_of(request: Request, *, at_most: int) -> bytes:
    """Returns the whole body, refused as soon as it is too large."""
    if request.headers.get("content-encoding", "identity").lower() != "identity":
        # Unpacked, a few bytes could be more than there is room for.
        raise Problem(415, "this route does not accept a compressed body")
    announced = request.headers.get("content-length", "0")
    if not announced.isdigit() or int(announced) > at_most:
        raise Problem(413, f"the body must not exceed {at_most} bytes")
    body = _Body(request, at_most)
    try:
        async for part in request.stream():
            body.add(part)
    except ClientDisconnect:
        # The client is gone and does not read this; but it must not be logged as our failure.
        raise Problem(400, "the body has no end") from None
    return b"".join(body.parts)


async def unpacked_body_of(request: Request, *, at_most: int) -> bytes:
    """Returns the whole body, which may be compressed with gzip. It is unpacked in small steps, and
    what is unpacked counts: a few bytes could be more than there is room for.
    """
    if request.headers.get("content-encoding", "identity").lower() != "gzip":
        return await body_of(request, at_most=at_most)
    body = _Body(request, at_most)
    unpacker = zlib.decompressobj(wbits=31)
    try:
        async for packed in request.stream():
            while packed and not unpacker.eof:
                body.add(unpacker.decompress(packed, UNPACKED_BYTES))
                packed = unpacker.unconsumed_tail
            if packed or unpacker.unused_data:
                raise CallerError("more follows the compressed body")
        if not unpacker.eof:
            raise CallerError("the compressed body has no end")
    except zlib.error as error:
        raise CallerError("the body is not compressed with gzip") from error
    except ClientDisconnect:
        raise Problem(400, "the body has no end") from None
    return b"".join(body.parts)


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


async def json_of(request: Request, kind: type[T], *, at_most: int) -> T:
    """Returns a JSON body of a known shape."""
    # A form can be posted across sites without asking; JSON cannot.
    _media(request, JSON)
    try:
        return msgspec.json.decode(await body_of(request, at_most=at_most), type=kind)
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
