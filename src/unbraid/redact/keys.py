"""Keys that are known by their beginning: the prefixes of known providers, and whether what follows
one is a key; JSON web tokens, keys full of hyphens, hashes of passwords, and what is left of keys
that are redacted already.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from unbraid.redact.anchors import alternation
from unbraid.redact.entropy import STARS, UUID, consists_of_words, plain_start
from unbraid.redact.rules import load

LEAST_BODY = 12
OWN = b"unbraid_"
# Not in the middle of a word; but an escape before it is none, though it ends with a letter.
EDGE = rb"(?:(?<![A-Za-z0-9])|(?<=\\[bfnrt]))"

PREFIXES, SHAPES = load()
PREFIX = re.compile(EDGE + alternation(PREFIXES))
PREFIX_AT_END = re.compile(PREFIX.pattern + rb"\Z")
BEGINS = re.compile(PREFIX.pattern + rb"|sk-|eyJ")
HEADS = frozenset(prefix[:3] for prefix in PREFIXES)
BODY = re.compile(rb"(?:\*{8,})?(?:[A-Za-z0-9_+/~]|-(?!----)|\.(?=[A-Za-z0-9_]))*={0,2}")
_DIGIT = re.compile(rb"[0-9]")


def is_key_after(prefix: bytes, body: bytes, *, whole: bool) -> bool:
    """Returns whether what follows a prefix is a key. `whole`: the prefix begins its word."""
    if prefix[-1:].isalnum():
        # Four letters are in many a word, and in any data: here the body has to be one piece.
        body = body.rstrip(b"=")
        alike = body.isalnum() and (_DIGIT.search(body) is not None or body.isupper())
        return whole and ((alike and len(body) >= LEAST_BODY) or STARS in body)
    return is_key_body(prefix, body)


def is_key_body(prefix: bytes, body: bytes) -> bool:
    """Returns whether what follows a prefix that no other word has is a key."""
    if body.startswith(STARS):
        return True
    least, body = 43 if prefix == OWN else LEAST_BODY, body.rstrip(b"=")
    return len(body) >= least and (
        not consists_of_words(body) or (len(body) >= 20 and body.isalpha())
    )


# What is still undecided after so many characters is decided as it stands.
LONGEST = 512

SK_OPEN = re.compile(EDGE + rb"sk-")
_SK = re.compile(EDGE + rb"sk-(?P<value>\*{8,}[A-Za-z0-9]*|[A-Za-z0-9]{20,})")
# These may have no run that is long enough.
_HYPHENATED = tuple(
    (anchor, re.compile(prefix))
    for anchor, prefix in ((b"sk-", rb"sk-"), (b"xox", rb"xox[a-z]"), (OWN, rb"unbraid_"))
)
_WORD = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_+/-.="
_HASHED = rb"(?P<value>[./A-Za-z0-9*]{%b})(?![./A-Za-z0-9])"
# By a word in small letters that is in each.
_SHAPES_BY_ANCHOR = {
    anchor: re.compile(shape)
    for anchor, shape in (
        *((prefix, re.escape(prefix) + rb"(?P<value>" + UUID.pattern + rb")(?![0-9a-z])")
          for prefix in (b"amzn.mws.", b"pat-na1-", b"pat-eu1-", b"sdk-", b"api-")),
        (b"sk.eyj", rb"sk\.eyJ(?P<value>[A-Za-z0-9_*\-]{20,}\.[A-Za-z0-9_*\-]{16,})"),
        (b"v1.0-", rb"v1\.0-(?P<value>[0-9a-f]{24}-[0-9a-f]{100,160})"),
        # Private keys without the lines around them: of OpenSSH, RSA, PKCS #8, curves.
        *((prefix.lower(), rb"(?P<value>" + re.escape(prefix) + rb"[A-Za-z0-9+/*]{16,}={0,2})")
          for prefix in (b"b3BlbnNzaC1rZXktdjEA", b"IBAAKCAQ", b"IBAAKCAg", b"IBAAKBgQ",
                         b"MHcCAQEEI", b"IBADANBgkqhkiG9w0BAQEFAASC", b"MIGHAgEAMBMGByqGSM49")),
        # As `/etc/shadow`, `.htpasswd` and the users of applications have them.
        (b"$1$", rb"\$1\$[./A-Za-z0-9]{1,8}\$" + _HASHED % b"22"),
        (b"$apr1$", rb"\$apr1\$[./A-Za-z0-9]{1,8}\$" + _HASHED % b"22"),
        (b"$5$", rb"\$5\$(?:rounds=[0-9]{1,9}\$)?[./A-Za-z0-9]{1,16}\$" + _HASHED % b"43"),
        (b"$6$", rb"\$6\$(?:rounds=[0-9]{1,9}\$)?[./A-Za-z0-9]{1,16}\$" + _HASHED % b"86"),
        (b"$y$", rb"\$y\$[./A-Za-z0-9]{1,8}\$[./A-Za-z0-9]{1,32}\$" + _HASHED % b"43"),
        *((prefix, re.escape(prefix) + rb"[0-9]{2}\$" + _HASHED % b"53")
          for prefix in (b"$2a$", b"$2b$", b"$2y$")),
        (b"$argon2", rb"\$argon2(?:id|i|d)\$v=[0-9]{1,3}\$[a-z0-9=,]{1,48}\$[+/A-Za-z0-9]{1,64}\$"
                     rb"(?P<value>[+/A-Za-z0-9*]{16,128})"),
        (b"pbkdf2_sha256$", rb"pbkdf2_sha256\$[0-9]{1,9}\$[A-Za-z0-9]{1,64}\$"
                            rb"(?P<value>[+/A-Za-z0-9*]{43}=)"),
    )
}  # fmt: skip
_B = rb"[A-Za-z0-9_\-]"
_JWT = re.compile(
    EDGE + rb"eyJ(?P<value>\*{8,}[A-Za-z0-9_\-.=]*"
    rb"|%b{10,}+\.%b{10,}+\.%b{10,}+=*|%b{%d,}+|%b{10,}+\.%b{%d,}+)"
    % (_B, _B, _B, _B, LONGEST, _B, _B, LONGEST)
)
_PART_RUN = re.compile(rb"%b*+" % _B)
_PART = rb"%b{0,%d}" % (_B, LONGEST - 1)
JWT_OPEN = re.compile(EDGE + rb"eyJ%b(?:\.%b(?:\.%b{0,9})?)?\Z" % (_PART, _PART, _B))
_STARS = re.compile(rb"\*{8,}")
# Dashes before a quote may begin the last line of a key: see `schemes`.
_STARRED = re.compile(rb"(?:[A-Za-z0-9_+/~]|-(?!----|-{0,3}\"))+={0,2}")
_EYJ = b"eyj"
# In small letters: one of them is in each text that has such a key.
ANCHORS = frozenset((_EYJ, STARS, *(anchor for anchor, _ in _HYPHENATED), *_SHAPES_BY_ANCHOR))


def ranges(text: bytes, anchors: frozenset[bytes]) -> Iterator[tuple[int, int]]:
    """Yields JSON web tokens, keys that may be full of hyphens, and what follows stars."""
    if _EYJ in anchors:
        yield from _web_tokens(text)
    for anchor, begun in _HYPHENATED:
        done = 0
        for found in begun.finditer(text) if anchor in anchors else ():
            if found.start() < done:
                continue
            prefix, key = PREFIX.match(text, found.start()), _SK.match(text, found.start())
            body = BODY.match(text, prefix.end()) if prefix else None
            if prefix and body:
                # Of what is no key no part is one: it is not looked at again.
                done = body.end()
            if prefix and body and is_key_body(prefix[0], body[0]):
                yield body.span()
            elif key and not consists_of_words(key["value"]):
                yield key.span("value")
    for anchor in anchors & _SHAPES_BY_ANCHOR.keys():
        for found in _SHAPES_BY_ANCHOR[anchor].finditer(text):
            start, end = found.span("value")
            # What is plain of its word may have been shown before there was more of it.
            before = text[max(0, start - 64) : start]
            word = start - len(before) + len(before.rstrip(_WORD))
            yield max(start, word + plain_start(text[word:end])), end
    at = text.find(STARS) if STARS in anchors else -1
    while at >= 0 and (stars := _STARS.match(text, at)):
        if rest := _STARRED.match(text, stars.end()):
            yield rest.span()
        at = text.find(STARS, stars.end())


def _web_tokens(text: bytes) -> Iterator[tuple[int, int]]:
    at = text.find(b"eyJ")
    while at >= 0:
        if found := _JWT.match(text, at):
            yield found.span("value")
            at = text.find(b"eyJ", found.end())
            continue
        # Another one in the same part would end at the same full stops.
        part = _PART_RUN.match(text, at)
        before = text[max(0, at - 1) : at]
        at = text.find(b"eyJ", part.end() if part and not before.isalnum() else at + 1)
