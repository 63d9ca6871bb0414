"""What API keys and tokens look like, in JSON as agents print it.

A secret is replaced by as many stars, so offsets stay true, and it is still known as one: redacting
again changes nothing, and what follows the stars belongs to them. All patterns are of bytes, and of
escaped ones: a newline before a key is a backslash and an `n`.

The pattern of all secrets is slow, because it tries every shape. So it is tried only where a hint
stands, one of a few literal words with which every secret begins. Most lines have none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

# What is still undecided after so many characters is taken for a secret.
LONGEST = 512
# So many stars stand for a secret and nothing else: every body of one is longer.
REDACTED = r"\*{8,}"

# Not in the middle of a word; but an escape before it is none, though it ends with a letter.
_EDGE = r"(?:(?<![A-Za-z0-9])|(?<=\\[bfnrt])|(?<=\\u[0-9A-Fa-f]{4}))"
_BODY = r"[A-Za-z0-9_\-]"
_SPACE = r"(?:\s|\\[nrt])"
_QUOTE = r"\\{0,3}[\"']?"


@dataclass(frozen=True)
class _Shape:
    """Words, what may stand between, and a body of at least so many characters."""

    name: str
    words: tuple[str, ...]
    least: int
    body: str = _BODY
    between: str = ""
    begun: str = ""  # the beginning of what stands between
    padding: str = ""
    anywhere: bool = False  # also in the middle of a word, in small letters and capitals

    def whole(self) -> str:
        body = f"(?:{REDACTED}{self.body}*|{self.body}{{{self.least},}}){self.padding}"
        return f"{self._lead(self.words)}{self.between}(?P<{self.name}>{body})"

    def begins(self) -> str:
        """Returns the beginning of one that more characters could make whole."""
        parts = {word[:end] for word in self.words for end in range(1, len(word))}
        part = self._lead(tuple(sorted(parts, key=len, reverse=True)))
        body = f"{self.between}{self.body}{{0,{self.least - 1}}}"
        return f"{part}\\Z|{self._lead(self.words)}(?:{self.begun}|{body})\\Z"

    def _lead(self, words: tuple[str, ...]) -> str:
        some = "|".join(map(re.escape, words))
        return f"(?i:{some})" if self.anywhere else f"{_EDGE}(?:{some})"


_KEYS = (
    *(f"sk-{kind}-" for kind in ("ant", "proj", "or", "svcacct", "admin", "lf")),
    *(f"gh{kind}_" for kind in "pousr"),
    *(f"gl{kind}-" for kind in ("pat", "rt", "soat")),
    *(f"xox{kind}-" for kind in "abeoprs"),
    *(f"{kind}k_{use}_" for kind in "rs" for use in ("live", "test")),
    *("github_pat_", "hf_", "npm_", "pypi-Ag", "AIza"),
)
_SHAPES = (
    _Shape("prefixed", _KEYS, 12),
    _Shape("aws", ("AKIA", "ASIA"), 12, "[A-Z0-9]"),
    _Shape("ours", ("unbraid_",), 43),
    _Shape("openai", ("sk-",), 20, "[A-Za-z0-9]"),
    _Shape(
        "bearer", ("bearer",), 16, r"[A-Za-z0-9_\-.~+/]", f"{_SPACE}{{1,8}}", f"{_SPACE}{{0,8}}",
        "=*", anywhere=True,
    ),
    _Shape(
        "named", ("api_key", "apikey", "secret", "token", "password", "passwd"), 12,
        r"[A-Za-z0-9_\-./+]", rf"{_QUOTE}\s{{0,3}}[=:]\s{{0,3}}{_QUOTE}",
        rf"{_QUOTE}\s{{0,3}}(?:[=:]\s{{0,3}}{_QUOTE})?", "=*", anywhere=True,
    ),
)  # fmt: skip
_JWT = (
    rf"{_EDGE}eyJ(?P<jwt>{REDACTED}[A-Za-z0-9_\-.]*|{_BODY}{{10,}}\.{_BODY}{{10,}}\.{_BODY}{{10,}}"
    rf"|{_BODY}{{{LONGEST},}}|{_BODY}{{10,}}\.{_BODY}{{{LONGEST},}})"
)
_PART = rf"{_BODY}{{0,{LONGEST - 1}}}"
_JWT_BEGINS = rf"{_EDGE}(?:e|ey|eyJ{_PART}(?:\.{_PART}(?:\.{_BODY}{{0,9}})?)?)\Z"
# Never beyond the end of its string, nor half of an escape: what is redacted stays JSON.
_PEM = r"-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----(?P<pem>(?:[^\-\"\\]|\\[nrt])+)"
_PEM_BEGINS = r"-{1,5}\Z|-----(?:B|BE|BEG|BEGI|BEGIN|BEGIN [A-Z ]{0,42}-{0,5})\Z"

_SECRET = re.compile("|".join((*(s.whole() for s in _SHAPES), _JWT, _PEM)).encode())
_BEGUN = re.compile("|".join((*(s.begins() for s in _SHAPES), _PEM_BEGINS)).encode())
_JWT_BEGUN = re.compile(_JWT_BEGINS.encode())
# All that is undecided is shorter than this, but for a JWT, which is one long word.
_BEGUN_BYTES = 128
_JWT_LETTERS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-."

# How every secret begins. Each hint begins with a literal, which `re` searches many times faster
# than anything else; the second are for data in small letters.
_HINTS = tuple(
    re.compile(hint.encode())
    for hint in (
        rf"sk-(?=[a-z]{{2,7}}-|[A-Za-z0-9]{{20}}|{REDACTED})", "sk_(?:live|test)_",
        "rk_(?:live|test)_", "gh[pousr]_", "github_pat_", "gl(?:pat|rt|soat)-", "xox[abeoprs]-",
        "hf_", "npm_", "pypi-Ag", "AIza", "A[KS]IA", "unbraid_", "eyJ", "-----BEGIN ",
    )
)  # fmt: skip
_NAMED = rf"{_QUOTE}\s{{0,3}}[=:]"
_LOWER_HINTS = tuple(
    re.compile(hint.encode())
    for hint in (
        f"bearer{_SPACE}", f"api_?key{_NAMED}", f"secret{_NAMED}", f"token{_NAMED}",
        f"passw(?:or)?d{_NAMED}",
    )
)  # fmt: skip


def hints(data: bytes) -> list[int]:
    """Returns where a secret may begin; nowhere else does one."""
    found = [match.start() for hint in _HINTS for match in hint.finditer(data)]
    lower = data.lower()
    found += [match.start() for hint in _LOWER_HINTS for match in hint.finditer(lower)]
    return found


def redact(data: bytes) -> bytes:
    """Returns the same bytes with every secret replaced by as many stars."""
    parts, at = [], 0
    for found in _found(data):
        start, end = found.span(found.lastgroup or 0)
        parts += [data[at:start], b"*" * (end - start)]
        at = end
    return b"".join([*parts, data[at:]]) if at else data


def secret_ranges(data: bytes) -> list[tuple[int, int]]:
    """Returns where secrets are, from the words that give them away to their end."""
    return [found.span() for found in _found(data)]


def undecided_from(data: bytes) -> int | None:
    """Returns where something begins that more bytes at the end could make a secret."""
    found = _BEGUN.search(data, max(0, len(data) - _BEGUN_BYTES))
    word = max(len(data.rstrip(_JWT_LETTERS)), len(data) - 2 * LONGEST - 64)
    token = _JWT_BEGUN.search(data, word)
    starts = [each.start() for each in (found, token) if each is not None]
    return min(starts, default=None)


def redact_words(words: str, *, cut: bool) -> str:
    """Returns text with its secrets redacted; less of it, if it was cut within what may be one."""
    data = redact(words.encode(errors="replace"))
    return data[: undecided_from(data) if cut else None].decode()


def _found(data: bytes) -> Iterator[re.Match[bytes]]:
    end = 0
    for place in sorted(hints(data)):
        if place >= end and (found := _SECRET.match(data, place)) is not None:
            end = found.end()
            yield found
