"""Secrets that are known by what stands before them, and is no name: a scheme, an address, a header
of a block, a cookie.

`Authorization: Basic …`, `postgres://user:…@host`, `-----BEGIN PRIVATE KEY-----`.
"""

from __future__ import annotations

import re
from base64 import b64decode
from binascii import Error
from collections.abc import Iterator

from unbraid.redact.entropy import STARS, UUID, consists_of_words

MOST = 512
# What stands in place of a value.
PLACEHOLDER = re.compile(
    rb"(?i)\A(?:\$|%[a-z_]+%|\{|<|\[|x{3,}|\.{3}|\xe2\x80\xa6|\*{1,7}\Z|your|my(?:[-_][a-z]+){1,2}\Z|an?[-_]|the[-_]"
    rb"|some|insert|replace|change[-_a-z]*\Z|convertto-|todo|null|none|undefined|true|false|redacted|hidden|placeholder|dummy|fake"
    rb"|file:|env:|vault:|arn:|https?:|@|//|\.?/|~/|[a-z_]+\.[a-z_]+\()|[({\[]|\$\{|process\.env"
    rb"|os\.environ|getenv|\]\]|\.\.\.\Z|::"
)
# The name of something in code, a call, an index.
CODE = re.compile(rb"[A-Za-z_]+(?:[.:]{1,2}[A-Za-z_]+)+(?:\Z|[(\[])|[A-Za-z_][A-Za-z0-9_.]*\(")
_NO_LOGIN = re.compile(PLACEHOLDER.pattern + rb"|\Apassword\Z")
_BEARER = re.compile(
    rb"bearer(?:\s|\\[nrt]){1,8}(?P<value>[*A-Za-z0-9_\-.~+/]{16,%d}=*)" % (8 * MOST)
)
_BASIC = re.compile(rb"basic[ \t]{1,4}(?P<value>[*A-Za-z0-9_\-+/]{6,%d}={0,2})" % (2 * MOST))
_URL = re.compile(
    rb"://(?P<user>[^\s/@:\"'`<>\\]{0,128}):(?P<value>[^\s/@\"'`<>\\]{1,256})@(?=[^\s\"'`<>\\])"
)
# A key alone before the host, as Sentry's addresses have it.
_KEY_URL = re.compile(rb"://(?P<value>[A-Za-z0-9_\-]{20,128})@(?=[A-Za-z0-9])")
_KEY_ID = re.compile(rb"private_key_id[\\\"']{1,8}: ?[\\\"']{1,8}(?P<value>[0-9a-f]{1,64})")
_SIGNED = re.compile(
    rb"[?&;](?:sig|signature|x-amz-signature|x-amz-security-token|x-goog-signature|access_token|code"
    rb"|key|auth|sid|jwt|appid|hapikey|otp)=(?P<value>[^\s&\"'`<>\\#]{16,%d})" % (4 * MOST)
)
_COOKIES = tuple(
    (frozenset(names), re.compile(name + rb"=(?P<value>[^\s;,&\"'`<>\\]{16,%d})" % MOST))
    for name, names in (
        (
            rb"sess(?:ion)?(?:_?id)?",
            (b"sess=", b"session=", b"sessid=", b"sess_id=", b"sessionid=", b"session_id="),
        ),
        (rb"\.sid", (b".sid=",)),
    )
)
_LINKS = (
    rb"/(?:reset|reset-password|reset_password|verify|verify-email|confirm|activate|invite|magic)/"
    rb"(?P<value>[A-Za-z0-9_\-]{%b,512})"
)
_LINK = re.compile(_LINKS % b"32" + rb"(?![A-Za-z0-9_\-])")
_OPEN_LINK = re.compile(_LINKS % b"1" + rb"\Z")
_ADDRESS = re.compile(rb"://[^\s\"'`<>\\]{4,%d}" % (8 * MOST))
# Dashes before a quote may begin the last line of a key that continues in the next event.
_PEM = re.compile(
    rb"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
    rb"(?P<value>(?:[^\"'`{}\-]|-(?!----|-{0,3}\"))+)"
)
_PUBLIC = re.compile(
    rb"-----BEGIN (?:[A-Z0-9 ]{0,40}(?:CERTIFICATE|PUBLIC KEY|SIGNATURE|REQUEST|PUBLIC KEY BLOCK"
    rb"|MESSAGE))-----[^\"\-]+"
)

# The secret parts of a key as JSON has it.
_KEY_TYPE = b"kty"
_KEY_PART = rb"\"(?:d|p|q|dp|dq|qi|k)\\{0,4}\"\s?:\s?\\{0,4}\"(?P<value>[A-Za-z0-9_*\-]{%b,1024})"
_KEY_PARTS = re.compile(_KEY_PART % b"20")

# In small letters: one of them is in each text that has such a value.
ANCHORS = frozenset(
    (b"bearer", b"basic", b"://", b"-----begin", b"private_key_id", _KEY_TYPE,
     *(name for names, _ in _COOKIES for name in names))
)  # fmt: skip


def ranges(text: bytes, lower: bytes, anchors: frozenset[bytes]) -> Iterator[tuple[int, int]]:
    """Yields where values are that something else than a name gives away."""
    for found in _BEARER.finditer(lower) if b"bearer" in anchors else ():
        start, end = found.span("value")
        value = text[start:end].rstrip(b".")
        if STARS in value or not consists_of_words(value.rstrip(b"=")):
            yield start, start + len(value)
    for found in _BASIC.finditer(lower) if b"basic" in anchors else ():
        start, end = found.span("value")
        if _basic(text[start:end]):
            yield start, end
    for address in _ADDRESS.finditer(lower) if b"://" in anchors else ():
        login = _URL.match(text, address.start())
        if login and (STARS in login["value"] or not _NO_LOGIN.match(login["value"])):
            yield login.span("value")
        elif (alone := _KEY_URL.match(text, address.start())) and not consists_of_words(
            alone["value"]
        ):
            yield alone.span("value")
        for found in _LINK.finditer(text, *address.span()):
            if not consists_of_words(found["value"]) and not UUID.fullmatch(found["value"]):
                yield found.span("value")
        for found in _SIGNED.finditer(lower, *address.span()):
            start, end = found.span("value")
            if not consists_of_words(text[start:end]) and not UUID.fullmatch(text[start:end]):
                yield start, end
    for names, cookies in _COOKIES:
        for found in () if anchors.isdisjoint(names) else cookies.finditer(lower):
            start, end = found.span("value")
            value = text[start:end]
            if STARS in value or not (
                UUID.fullmatch(value) or consists_of_words(value) or CODE.match(value)
            ):
                yield start, end
    for found in _PEM.finditer(text) if b"-----begin" in anchors else ():
        yield found.span("value")
    for found in _KEY_PARTS.finditer(text) if _KEY_TYPE in anchors else ():
        yield found.span("value")
    for found in _KEY_ID.finditer(text) if b"private_key_id" in anchors else ():
        if len(found["value"]) >= 32:
            yield found.span("value")


def _basic(value: bytes) -> bool:
    """Returns whether it is a name and a password, as HTTP sends them."""
    if STARS in value:
        return True
    try:
        decoded = b64decode(value.rstrip(b"=") + b"=" * (-len(value.rstrip(b"=")) % 4))
    except (Error, ValueError):
        return False
    return b":" in decoded and decoded.isascii()


_OPEN_BEARER = re.compile(
    rb"bearer(?:\s|\\[nrt]){1,8}(?P<value>[*A-Za-z0-9_\-.~+/]{1,%d}=*)\Z" % MOST
)
_OPEN_BASIC = re.compile(rb"basic[ \t]{1,4}(?P<value>[*A-Za-z0-9_\-+/]{1,%d}=*)\Z" % MOST)
_OPEN_SIGNED = re.compile(
    rb"(?:[?&;](?:[a-z_-]*sig(?:nature)?|[a-z_-]*token|code|key|auth|sid|jwt|appid|hapikey)"
    rb"|sessionid|sessid|connect\.sid|_session|csrftoken)=(?P<value>[^\s&\"'`<>\\#;,]{1,%d})\Z"
    % MOST
)
_OPEN_KEY_PART = re.compile(_KEY_PART % b"1" + rb"\Z")
_OPEN_URL = re.compile(rb"://[^\s/@\"'`<>\\]{1,384}@?\Z")


def open_values(text: bytes, lower: bytes) -> Iterator[int]:
    """Yields where a value begins that is not at its end yet, if the text ends within one."""
    for pattern in (_OPEN_BEARER, _OPEN_BASIC, _OPEN_SIGNED):
        yield from (found.start("value") for found in pattern.finditer(lower))
    for pattern in (_OPEN_KEY_PART, _OPEN_LINK):
        yield from (found.start("value") for found in pattern.finditer(text))
    yield from (found.start() + 3 for found in _OPEN_URL.finditer(text))
    for found in _KEY_ID.finditer(text):
        if found.end() == len(text):
            yield found.start("value")
    if text.endswith(b"-"):
        # They may end a key of which the beginning is far away.
        yield len(text.rstrip(b"-"))


def public_blocks(text: bytes, anchors: frozenset[bytes]) -> list[tuple[int, int]]:
    """Returns where certificates and public keys are, which look like secrets."""
    if b"-----begin" not in anchors:
        return []
    return [found.span() for found in _PUBLIC.finditer(text)]
