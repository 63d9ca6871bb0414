"""Secrets that certain words introduce: a command and its option, a scheme, an address, a header of
a block, a call. The rules of `rules/own.toml` say where the value is; the checks here, whether it
is a secret.
"""

from __future__ import annotations

import re
from base64 import b64decode
from binascii import Error
from collections.abc import Callable, Iterator

from unbraid.redact.entropy import STARS, UUID, consists_of_words, plain_start
from unbraid.redact.named_secrets import CODE, PLACEHOLDER
from unbraid.redact.rules import RULES, introduced
from unbraid.redact.view import View

_NO_PASSWORD = RULES.part("NO_PASSWORD")
_NO_LOGIN = re.compile(PLACEHOLDER.pattern + rb"|\Apassword\Z")
_WORD = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_+/-.="


def _is_basic(value: bytes) -> bool:
    """Returns whether it is a name and a password, as HTTP sends them."""
    value = value.rstrip(b"=")
    try:
        decoded = b64decode(value + b"=" * (-len(value) % 4))
    except (Error, ValueError):
        return False
    return b":" in decoded and decoded.isascii()


def _is_opaque(value: bytes) -> bool:
    return not (UUID.fullmatch(value) or consists_of_words(value) or CODE.match(value))


# By the name that the rules have for them: whether a value that has no stars is a secret.
CHECKS: dict[str, Callable[[bytes], object]] = {
    "": lambda value: True,
    "plain": lambda value: True,
    "password": lambda value: len(value) >= 4 and not _NO_PASSWORD.match(value),
    "login": lambda value: not _NO_LOGIN.match(value),
    "no words": lambda value: not consists_of_words(value.rstrip(b"=")),
    "opaque": _is_opaque,
    "basic": _is_basic,
}
# In small letters: one of them is in each text that has such a value.
_BY_WORD = RULES.by_word(*CHECKS)
ANCHORS = frozenset(_BY_WORD)


def ranges(seen: View) -> Iterator[tuple[int, int]]:
    """Yields where values are."""
    for rule, found in introduced(seen, _BY_WORD):
        start, end = found.span("value")
        value = seen.text[start:end]
        if start < 0 or not (STARS in value or CHECKS[rule.check](value)):
            continue
        if rule.check == "plain":
            # What is plain of its word may have been shown before there was more of it.
            before = seen.text[max(0, start - 64) : start]
            word = start - len(before) + len(before.rstrip(_WORD))
            start = max(start, word + plain_start(seen.text[word:end]))
        yield start, end


def open_values(seen: View) -> Iterator[int]:
    """Yields where a value begins with which the text ends: there may be more of it."""
    text, lower = seen.text, seen.lower
    for rule, found in introduced(seen, _BY_WORD):
        if rule.check == "password" and found.end("value") >= len(text) - 1:
            yield found.start("value")
    for pattern, small in RULES.open:
        yield from (found.start("value") for found in pattern.finditer(lower if small else text))
    if text.endswith(b"-"):
        # They may end a private key of which the beginning is far away.
        yield len(text.rstrip(b"-"))
