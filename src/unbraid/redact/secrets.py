"""What API keys and tokens look like, in JSON as agents print it.

Every mask is as long as what it hides, so offsets stay true, and a masked secret is still known as
one: a mask again changes nothing, and what follows a mask belongs to it. All patterns are of bytes,
and of escaped ones: a newline before a key is a backslash and an `n`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

# What is still undecided after so many characters is taken for a secret.
LONGEST = 512
# So many stars are a mask and nothing else: every mask of a body is longer.
MASKED = r"\*{8,}"

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
        body = f"(?:{MASKED}{self.body}*|{self.body}{{{self.least},}}){self.padding}"
        return f"{self._lead(self.words)}{self.between}(?P<{self.name}>{body})"

    def begins(self) -> str:
        """The beginning of one that more characters could make whole."""
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
    rf"{_EDGE}eyJ(?P<jwt>{MASKED}[A-Za-z0-9_\-.]*|{_BODY}{{10,}}\.{_BODY}{{10,}}\.{_BODY}{{10,}}"
    rf"|{_BODY}{{{LONGEST},}}|{_BODY}{{10,}}\.{_BODY}{{{LONGEST},}})"
)
_PART = rf"{_BODY}{{0,{LONGEST - 1}}}"
_JWT_BEGINS = rf"{_EDGE}(?:e|ey|eyJ{_PART}(?:\.{_PART}(?:\.{_BODY}{{0,9}})?)?)\Z"
# Never beyond the end of its string, nor half of an escape: what is masked stays JSON.
_PEM = r"-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----(?P<pem>(?:[^\-\"\\]|\\[nrt])+)"
_PEM_BEGINS = r"-{1,5}\Z|-----(?:B|BE|BEG|BEGI|BEGIN|BEGIN [A-Z ]{0,42}-{0,5})\Z"

_SECRET = re.compile("|".join((*(s.whole() for s in _SHAPES), _JWT, _PEM)).encode())
_BEGUN = re.compile("|".join((*(s.begins() for s in _SHAPES), _JWT_BEGINS, _PEM_BEGINS)).encode())


def mask(data: bytes) -> bytes:
    """The same bytes with every secret masked, and as many of them."""

    def stars(match: re.Match[bytes]) -> bytes:
        start, end = match.span(match.lastgroup or 0)
        return data[match.start() : start] + b"*" * (end - start) + data[end : match.end()]

    return _SECRET.sub(stars, data)


def places(data: bytes) -> list[tuple[int, int]]:
    """Where secrets are, from the words that give them away to their end."""
    return [found.span() for found in _SECRET.finditer(data)]


def undecided(data: bytes) -> int | None:
    """Where something begins that more bytes at the end could make a secret."""
    # Nothing that is undecided is longer than two long parts of a JWT.
    start = max(0, len(data) - 2 * LONGEST - 64)
    found = _BEGUN.search(data, start)
    return None if found is None else found.start()


def masked_words(words: str, *, cut: bool) -> str:
    """Words with their secrets masked; fewer of them, if they were cut within what may be one."""
    data = mask(words.encode(errors="replace"))
    return data[: undecided(data) if cut else None].decode()
