"""Passwords that command lines and statements carry at a known place, without a name.

`curl -u me:…`, `sshpass -p …`, `mysql -p…`, `IDENTIFIED BY '…'`. Each pattern begins with a
literal, which `re` searches many times faster than anything else, and looks a bounded way ahead.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_APART = rb"[ \t\"',\\]{1,8}"
# The rest of the same command, as short as possible.
_ARGUMENTS = rb"\b[^\n|;&]{0,160}?[ \t\"',]"
_VALUE = rb"(?P<value>[^\s\"'`\\,;|&<>]{1,128})"
# A word in small letters and as it is, and a pattern of which each match has it.
_Pattern = tuple[bytes, bytes, re.Pattern[bytes]]


def _compiled(*patterns: tuple[bytes, bytes]) -> list[_Pattern]:
    """Returns patterns that each begin with a word."""
    return [
        (word.lower(), word, re.compile(re.escape(word) + rest + _VALUE)) for word, rest in patterns
    ]


_WITH_OPTION = _compiled(
    (b"curl", _ARGUMENTS + rb"(?:-u|--(?:proxy-)?user)[ \t\"',=\\]{0,8}[^\s:\"'`\\]{1,96}:"),
    (b"sshpass", _ARGUMENTS + rb"-p[ \t\"',\\]{0,8}"),
    (b"mysql", rb"(?:dump|admin|import|sh)?" + _ARGUMENTS + rb"-p[\"']{0,2}"),
    (b"mariadb", rb"(?:-[a-z]{1,12})?" + _ARGUMENTS + rb"-p[\"']{0,2}"),
    (b"mongo", rb"(?:sh|dump|restore|export|import)?" + _ARGUMENTS + rb"-p" + _APART),
    (b"redis-cli", _ARGUMENTS + rb"-a" + _APART),
    (b" login", _ARGUMENTS + rb"-p" + _APART),
    (b"ldap", rb"(?:search|add|modify|delete|passwd|whoami)" + _ARGUMENTS + rb"-w" + _APART),
    (b"smbclient", _ARGUMENTS + rb"-U" + _APART + rb"[^\s%\"']{1,64}%"),
    (b"sqlcmd", _ARGUMENTS + rb"-P" + _APART),
    (b"zip ", rb"[^\n|;&]{0,160}?-P" + _APART),
    (b"mosquitto_", rb"(?:pub|sub)" + _ARGUMENTS + rb"-P" + _APART),
    (b"ssh-keygen", _ARGUMENTS + rb"-N" + _APART),
    (b"secret set ", rb"[^\n|;&]{0,96}(?:-b|--body)[ \t\"'=]{1,4}"),
)  # fmt: skip
# `echo … | sudo -S`: the password stands before what gives it away.
_ECHO = rb"echo(?: -[neE]{1,3})? [\\\"']{0,4}" + _VALUE + rb"[\\\"']{0,4} ?"
_SUDO = re.compile(_ECHO + rb"\| ?sudo(?: -[a-zA-Z]{1,4}){0,3}? -[a-zA-Z]{0,3}S")
_OPEN_ECHO = re.compile(_ECHO + rb"(?:\| ?(?:s(?:u(?:d(?:o[- a-zA-Z]{0,24})?)?)?)?)?\Z")
_OTHERS = [(b"sudo", b"sudo", _SUDO), *_compiled(
    (b"htpasswd", rb" [^\n|;&]{0,16}-[a-zA-Z]{0,4}b[a-zA-Z]{0,4}(?: \S{1,96}){2} [\"']{0,2}"),
    (b"rabbitmqctl", rb" (?:add_user|change_password) \S{1,64} [\"']{0,2}"),
    (b"IncomingWebhook/", rb""),
    (b":5432:", rb"[^\s:]{1,64}:[^\s:]{1,64}:"),
    (b"IDENTIFIED", rb"(?: WITH [a-zA-Z_0-9]{1,40})? BY (?:PASSWORD )?\\{0,3}[\"']"),
    (b"ConvertTo-SecureString", rb"(?: -String)? \\{0,3}[\"']?"),
)]  # fmt: skip
# What all of those with an option have in common. Hardly any text has it.
_OPTION = re.compile(rb"-(?<=[ \t\"',]-)(?:[pPuUawNb]|-(?:proxy-)?user|-body)")
# What stands there in manuals, and what is set elsewhere.
_NO_PASSWORD = re.compile(
    rb"(?i)[-$%<{\[(*.@/]|x{3,}\Z|(?:your|my|some|the|user)?[-_]?(?:pass(?:w(?:or)?d|wd|phrase)?|pw|pwd"
    rb"|secret|token|api[-_]?key|key|string|port|stdin)\Z|(?:your|change|replace|insert)[-_a-z]*\Z"
    rb"|[0-9]{1,4}\Z"
)
# Keys that look like a hash, by what stands behind them or before them.
_AFTER_HEX = re.compile(rb"-us[0-9]{1,2}(?![0-9A-Za-z])|-[0-9a-f]{8}-[0-9a-f]{8}(?![0-9A-Za-z-])")
_BEFORE_HEX = re.compile(rb"(?:(?<![A-Za-z0-9_])key-|[0-9]{13}:|[0-9a-z*]{16}\$)\Z")


# In small letters: one of them is in each text that has such a password.
ANCHORS = frozenset((b"echo", *(anchor for anchor, _, _ in (*_WITH_OPTION, *_OTHERS))))


def ranges(text: bytes, anchors: frozenset[bytes]) -> Iterator[tuple[int, int]]:
    """Yields where such passwords are, in a text that may have these of the anchors."""
    for found in _found(text, anchors):
        value = found["value"]
        if len(value) >= 4 and (value.startswith(b"*" * 8) or not _NO_PASSWORD.match(value)):
            yield found.span("value")


def hex_key_end(text: bytes, start: int, end: int) -> int | None:
    """Returns where a key ends, if these 32 hexadecimal digits are one rather than a hash."""
    if after := _AFTER_HEX.match(text, end):
        return after.end()
    return end if _BEFORE_HEX.search(text, max(0, start - 20), start) else None


def open_value(text: bytes, anchors: frozenset[bytes]) -> Iterator[int]:
    """Yields where a value begins with which the text ends: there may be more of it."""
    for found in _found(text, anchors):
        if found.end("value") >= len(text) - 1:
            yield found.start("value")
    if b"echo" in anchors and (echo := _OPEN_ECHO.search(text)) is not None:
        yield echo.start("value")


def _found(text: bytes, anchors: frozenset[bytes]) -> Iterator[re.Match[bytes]]:
    known = [each for each in _WITH_OPTION if each[0] in anchors]
    if known and not _OPTION.search(text):
        known = []
    known += [each for each in _OTHERS if each[0] in anchors]
    for _, word, pattern in known:
        # `in` is many times faster than any pattern.
        if word in text:
            yield from pattern.finditer(text)
