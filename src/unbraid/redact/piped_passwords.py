"""Passwords that a command line hands to the standard input of a program that reads one.

`echo … | sudo -S`, `printf … | docker login --password-stdin`, `echo me:… | chpasswd`,
`sudo -S … <<< …`. What gives such a password away stands behind it, or far before it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

# All that is printed is the password, with spaces, too.
_VALUE = rb"(?P<value>[^\s\"'`\\,;|&<>](?:[^\"'`\\|;&<>\n]{0,126}[^\s\"'`\\|;&<>])?)"
_QUOTES = rb"[\\\"']{0,4}"
_FORMAT = _QUOTES + rb"%s(?:\\{1,4}n)?" + _QUOTES
_PRINTED = (
    rb"(?:echo(?: -[neE]{1,3})?|printf(?: --)?(?: " + _FORMAT + rb")?) "
    + _QUOTES + rb"(?:[a-z_][a-z0-9_-]{0,31}:(?=[^|\n]{1,160}\| ?(?:sudo )?chpasswd))?"
    + _VALUE + rb"(?:\\{1,4}n)?" + _QUOTES
)  # fmt: skip
_SUDO = (
    rb"sudo(?: -[a-zA-Z]{1,4}| -[pu] \S{1,32}| --[a-z-]{1,24}){0,3}? (?:-[a-zA-Z]{0,3}S|--stdin)"
)
_READERS = (
    rb"(?:" + _SUDO + rb"|(?:sudo )?(?:chpasswd|kinit|passwd --stdin|cryptsetup|smbpasswd)"
    rb"|[^\n|;&]{0,120}--(?:(?:password|pass|passwd-on|token|api-key)-stdin|with-token|passphrase-fd))"
)
_PIPED = re.compile(_PRINTED + rb" ?\| ?" + _READERS)
_OPEN = re.compile(_PRINTED + rb" ?(?:\|[^\n|;&]{0,160})?\Z")
_BREAK = rb"(?:\n|\\{1,4}n)"
_DOCUMENT = rb"-? ?" + _QUOTES + rb"[A-Za-z_]{1,16}" + _QUOTES + _BREAK
_GIVEN = re.compile(_SUDO + rb"[^\n|;&<]{0,96}<<(?:< ?|" + _DOCUMENT + rb")" + _QUOTES + _VALUE)
# In small letters: one of them is in each text with such a password.
_READING = frozenset((
    b"sudo", b"chpasswd", b"kinit", b"--stdin", b"cryptsetup", b"smbpasswd",
    b"-stdin", b"--with-token", b"--passphrase-fd",
))  # fmt: skip
_PRINTING = frozenset((b"echo", b"printf"))
ANCHORS = _READING | _PRINTING


def found(text: bytes, anchors: frozenset[bytes]) -> Iterator[re.Match[bytes]]:
    """Yields the matches of such passwords, in a text that may have these of the anchors."""
    if anchors.isdisjoint(_READING):
        return
    if not anchors.isdisjoint(_PRINTING):
        yield from _PIPED.finditer(text)
    if b"sudo" in anchors:
        yield from _GIVEN.finditer(text)


def open_value(text: bytes, anchors: frozenset[bytes]) -> Iterator[int]:
    """Yields where a value begins that may turn out to be a password."""
    if not anchors.isdisjoint(_PRINTING):
        for match in _OPEN.finditer(text):
            yield match.start("value")
