"""Secrets that are known by the name before them: `api_key=…`, `"password": "…"`, `--token …`.

Names are everywhere in code, so it is the value that decides: code, placeholders, numbers and plain
words are no secrets.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from unbraid.redact.entropy import (
    DENSE,
    DIGITS,
    OPEN_DENSE,
    STARS,
    consists_of_words,
    count,
    has_mixed_characters,
    looks_invented,
)
from unbraid.redact.rules import RULES, Rule, introduced
from unbraid.redact.view import View

MOST = 512
PLACEHOLDER = RULES.part("PLACEHOLDER")
CODE = RULES.part("CODE")
_ABOUT = RULES.part("ABOUT")
_OTHER_KEY = RULES.part("OTHER_KEY")
_KEYS = tuple(RULES.words("secret_keys"))
_PROSE = RULES.words("prose")
_NO_PASSWORDS = RULES.words("no_passwords")
_PASSWORD_NAME = "password name"
# In small letters: one of them is in each text that has such a value.
_BY_WORD = RULES.by_word("name", _PASSWORD_NAME)
ANCHORS = frozenset(_BY_WORD)

_CONNECTION = re.compile(
    rb"(?:server|data source|host|database|initial catalog|user(?: id|name)?|uid)=[^;\s\"]{1,80};"
)
_QUOTED = re.compile(rb"[^\s\"'`\\]{1,%d}" % MOST)
_PHRASE = re.compile(rb"[^\"'`\\\n]{1,80}")
_BARE = re.compile(rb"[^\s\"'`\\,;&<>(){}\[\]|]{1,%d}" % MOST)
_NUMBER = re.compile(rb"[-+0-9.,:_eETZ/%]+")
# Not of the length of a commit's hash.
_HEX_KEY = re.compile(
    rb"(?:0x)?(?P<value>(?i:[0-9a-f]{32}|[0-9a-f]{48}|[0-9a-f]{64}|[0-9a-f]{96}|[0-9a-f]{128}))"
    rb"(?![0-9A-Za-z_-])"
)
_OPEN_HEX = re.compile(rb"(?:0x?)?[0-9a-fA-F]{0,128}\Z")
_NAME = b"abcdefghijklmnopqrstuvwxyz0123456789-_"
_KNOWN = re.compile(rb"[A-Za-z]{2,10}[-_]|eyJ|A[KS]IA|[-+=(]|[A-Za-z_]+=")
_PASSWORD = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"


def ranges(seen: View) -> Iterator[tuple[int, int]]:
    """Yields where values are that their names give away."""
    # Within the value of a name there may be another, again and again.
    first = last = 0
    for name in _names(seen):
        if first <= name.start < last - MOST // 2:
            continue
        if (found := name.value()) is not None and name.has_secret(*found):
            first, last = found
            yield found


def open_values(seen: View) -> Iterator[int]:
    """Yields where a value begins with which the text ends: there may be more of it."""
    text = seen.text
    for name in _names(seen):
        found = name.value()
        if found is None and name.word == b"key" and name.sign is not None:
            found = part.span() if (part := _OPEN_HEX.match(text, name.end)) else None
        if found is not None and (
            (found[1] >= len(text) - 1 and found[1] - found[0] < MOST)
            or (name.in_shell and OPEN_DENSE.match(text, found[0]))
        ):
            yield found[0]


def _names(seen: View) -> Iterator[_Name]:
    for rule, found in introduced(seen, _BY_WORD):
        yield _Name(seen.text, seen.lower, rule, found)


class _Name:
    """A name that a secret may have, with what stands between it and its value."""

    __slots__ = (
        *("before", "end", "flag", "in_capitals", "in_markup", "in_shell", "is_password", "lower"),
        *("match", "quoted", "said", "sign", "start", "tail", "text", "word"),
    )

    def __init__(self, text: bytes, lower: bytes, rule: Rule, match: re.Match[bytes]) -> None:
        self.text, self.lower, self.word, self.match = text, lower, rule.word, match
        self.is_password = rule.check == _PASSWORD_NAME
        self.start, self.end = match.span()
        self.before = lower[max(0, self.start - 1) : self.start]
        self.tail: bytes = match["tail"]
        self.sign: bytes | None = match["sign"]
        self.flag, self.said = match["flag"] is not None, match["said"] is not None
        self.quoted = bool(match["quote"])
        self.in_markup = self.sign == b">" or bool(match["field"])
        self.in_capitals = text[self.start : self.start + 3].isupper()
        # As in an environment: `SECRET_KEY=…`.
        self.in_shell = self.sign == b"=" and self.in_capitals

    def value(self) -> tuple[int, int] | None:
        """Returns where its value is, if this is a name that a secret may have."""
        text, at = self.text, self.end
        if self.word == b"key" and not self._is_secret_key():
            return self._hex_key()
        # `passed to "…"` is about no password.
        if _ABOUT.search(self.tail) or (self.said and self.tail):
            return None
        if self.word == b"pw" and self.before.isalpha():
            return None
        found = None
        if self.quoted and self.is_password and not self.flag:
            found = _PHRASE.match(text, at)
            if found is not None and found.end() < len(text) - 1 and not _is_phrase(text, found):
                found = None
        if found is None and not self.quoted and self.in_shell:
            found = DENSE.match(text, at)
        found = found or (_QUOTED if self.quoted else _BARE).match(text, at)
        if found is None:
            return None
        return found.start(), found.start() + len(found[0].rstrip(b".,;:"))

    def has_secret(self, start: int, end: int) -> bool:
        """Returns whether its value is a secret."""
        text, quoted = self.text, self.quoted
        value = text[start:end]
        if self.flag and _KNOWN.match(value) and not self._is_token_option(value):
            return False  # a secret of its own, or none
        if _HEX_KEY.fullmatch(value):
            return True
        is_marked = not quoted and value[:1] in b"*_~`"  # set in bold, or the like
        is_placeholder = PLACEHOLDER.search(value[:128]) is not None
        if STARS in value:
            # What was no value before a part of it was redacted is none now.
            return value.startswith(STARS) or not (is_marked or is_placeholder)
        if DENSE.fullmatch(value) and (quoted or self.in_shell):
            return True
        if is_marked or is_placeholder:
            return False
        if len(value) >= 4 and self._is_connection(start):
            return True
        if len(value) < 6 or CODE.match(value):
            return False
        if not quoted and text[end : end + 1] in (b"(", b"[", b"{", b"<") and not self.in_markup:
            return False
        password, option = self.is_password, self._is_option()
        if self.flag and not password and not option:
            # Only what can be nothing else: `apikey 0123…`, `define('AUTH_KEY', '…')`.
            return len(value) >= 24 and has_mixed_characters(value)
        if b" " in value:
            return password
        tight = self.sign == b"=" and text[start - 1 : start] == b"="
        in_setting = self.in_capitals and self.flag  # `ENV DB_PASSWORD …`
        given = quoted or (tight and self.in_capitals) or in_setting or self.in_markup
        given = given or bool(self.match["pair"])
        digits = count(value, DIGITS) > 0
        if _NUMBER.fullmatch(value):
            return password and given
        if self._is_invented(value, option=option):
            return True
        if consists_of_words(value if password else value.replace(b":", b"-")):
            hyphens = value.count(b"-")
            if self.word == b"secret":
                return hyphens >= 3 and len(value) >= 16 and (given or digits)
            joined = hyphens >= 2 and len(value) >= 12
            short = digits and not value.strip(_PASSWORD + b"." * self.in_capitals)
            if password and (given or option or self.said) and (joined or short):
                return True
            return password and self._is_bare_password(value, tight=tight)
        if self.flag and password:
            return digits and (quoted or option or value.lower() != value)
        if not digits:
            # Names in code change between small and capital letters, too, but not so often.
            symbols = count(value, b"!@#$%^&*?~+")
            return len(value) >= 16 or (password and symbols > 0)
        return len(value) >= (6 if given or tight or password else 10)

    def _is_secret_key(self) -> bool:
        """Returns whether what stands before `key` says that it is a secret."""
        return self.lower.endswith(_KEYS, 0, self.start - (self.before in (b"_", b"-", b".", b" ")))

    def _hex_key(self) -> tuple[int, int] | None:
        """Returns where a key in hexadecimal is that nothing else than `key` introduces."""
        found = _HEX_KEY.match(self.text, self.end)
        if found is None or self.sign is None or self.tail:
            return None
        before = _OTHER_KEY.search(self.lower, max(0, self.start - 24), self.start)
        return None if before else found.span("value")

    def _is_option(self) -> bool:
        """Returns whether the name is that of an option of a command line."""
        before = self.lower[max(0, self.start - 24) : self.start]
        return before[len(before.rstrip(_NAME)) :].startswith(b"-")

    def _is_token_option(self, value: bytes) -> bool:
        """Returns whether it is the value of an option: JSON in base64, and no web token."""
        return value.startswith(b"eyJ") and len(value) >= 64 and self._is_option()

    def _is_connection(self, start: int) -> bool:
        """Returns whether it is the password of a connection string: `Server=db;…;Pwd=…;`."""
        if self.before != b";" or self.match[0] not in (b"password=", b"pwd="):
            return False
        return _CONNECTION.search(self.lower, max(0, start - 160), start) is not None

    def _is_invented(self, value: bytes, *, option: bool) -> bool:
        """Returns whether a value is no word though it has nothing but letters, perhaps with a
        number: behind a name that says nothing else than that it is a secret, this is one.
        """
        if len(value) < 8 or value.strip(_PASSWORD) or self.word == b"auth":
            return False
        introduced = self.sign is not None or option or (self.is_password and self.said)
        return introduced and looks_invented(value)

    def _is_bare_password(self, value: bytes, *, tight: bool) -> bool:
        """Returns whether words, perhaps with a number, are the password itself: `password:
        sunny-22`, `DB_PASSWORD=supersecret`, `password = "mysweethome"`.
        """
        if len(value) < 8 or self.sign is None:
            return False
        if value.isalpha():
            in_code = self.quoted and value.islower() and not self.tail
            plain = (tight and self.in_capitals) or in_code
            return plain and value.lower() not in _NO_PASSWORDS
        return (
            count(value, DIGITS) >= 2
            and not self.tail
            and not value.strip(_PASSWORD)
            and not self.match[0].startswith(b"pass" + self.sign)
        )


def _is_phrase(text: bytes, found: re.Match[bytes]) -> bool:
    """Returns whether quoted words are a password of several words, and no sentence about one."""
    words = found[0].split(b" ")
    return (
        2 <= len(words) <= 8
        and text[found.end() : found.end() + 1] in (b'"', b"'", b"`", b"\\")
        and all((2 <= len(word) <= 20 and word.isalnum()) or word.isdigit() for word in words)
        and not _PROSE.intersection(found[0].lower().split(b" "))
    )
