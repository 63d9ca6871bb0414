"""Secrets that are known by the name before them: `api_key=…`, `"password": "…"`, `--token …`.

Names are everywhere in code, so it is the value that decides: code, placeholders, numbers and plain
words are no secrets.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from unbraid.redact import commands, schemes
from unbraid.redact.anchors import matches
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
from unbraid.redact.schemes import CODE, PLACEHOLDER

MOST = 512
_QUOTES = rb"[\\\"'`]{0,8}"
_BLANK = rb"(?:[ \t]|\\t){0,4}"
_TAIL = rb"(?P<tail>[a-z0-9_.\-]{0,24})"
# With the type between the name and the value, as some languages have it.
_TYPED = rb":[ ]?[&a-z][a-z0-9_&'<>\[\]|?]{1,24}[ ]?=(?=[ ]?[\\\"'`])"
_BREAKS = rb"(?:\r?\n|(?:\\{1,4}r)?\\{1,4}n)"
# How the value is written: `key (hex): …`, `key = bytes.fromhex("…")`, `passwords = ["…"]`.
_FORM = rb"(?:[ ]?\((?:hex|base64|b64)\))?"
_CALL = (
    rb"(?:(?:[a-z0-9_.:\[\]]{0,24}(?:hex|from|byte|bytes|decode|decodestring)\(|[\[(])"
    rb"(?=[bfru]?[\\\"'`]))?"
)
_SIGN = (
    rb"(?:[\\\"'`\])]{0,8}(?:\*\*)?" + _FORM + _BLANK
    + rb"(?P<sign>=>|:=|={1,3}|" + _TYPED + rb"|:|\xef\xbc\x9a|>|(?:\|\||\?\?)(?=[ ]?[\\\"'`]))"
    + rb"(?:\*\*(?=[ ]))?" + _BLANK
    # YAML: an anchor, or the value in the next line.
    + rb"(?:&[a-z0-9_]{1,24}[ ]|[|>][-+]?" + _BREAKS + rb"[ ]{1,16})?" + _CALL
    # The name is itself a value: `name: API_TOKEN`, `value: …`; `<add key="Password" value="…"/>`.
    + rb"|[\\\"']{0,8}[,\snrt\\]{1,24}[\\\"']{0,8}value[\\\"']{0,8}[ ]?(?P<pair>[:=])[ ]?"
    # `<Password Type="…">…`, `<key>ApiKey</key><string>…`, a field of a form, a variable's default.
    + rb"|(?P<field>(?:[ ][a-z:]{1,24}=[\\\"']{1,4}[^\\\"'<>]{0,120}[\\\"']{1,4}){1,3}>"
    + rb"|</key>[\snrt\\]{0,24}<string>|[\\]{0,3}\"" + 2 * _BREAKS
    + rb"|[\\\"']{1,4}[ ]?\{[^{}\"']{0,160}?default[ ]{1,8}=[ ])"
    + rb"|(?P<said>[ \t](?:(?:for|of|to)(?:[ \t][\w.@'-]{1,40}){1,3}(?::|[ \t]is)|is"
    + rb"|to(?=[ ][\"'`*]))[ \t])"
    + rb"|(?P<flag>[ \t]{1,4}|[\\\"']{1,4},[ \t]{0,4}))"
    + rb"(?:[bfru@](?=[\\\"'](?!>)))?(?P<quote>" + _QUOTES + rb")"
)  # fmt: skip
_SCHEME = (
    rb"(?:(?:bearer|basic|token|digest|apikey|api-key|bot|key|negotiate|geniekey|ssws|apitoken|jwt"
    rb"|splunk|pve(?:api)?token)[ \t]{1,8})?"
)
# Passwords in other languages; of some words only what has no capital letter.
_FOREIGN = (
    *("contrase\u00f1a", "contrasena", "senha", "\u0430\u0440\u043e\u043b\u044c", "\u5bc6\u7801"),
    *("\u5bc6\u78bc", "\u30d1\u30b9\u30ef\u30fc\u30c9", "\ube44\ubc00\ubc88\ud638"),
    *("kennwort", "wachtwoord", "haslo", "has\u0142o", "l\u00f6senord", "\u015fifre", "\u015eifre"),
    *("parola", "heslo", "salasana", "lozinka", "jelsz\u00f3", "adgangskode"),
)
# Each begins with a literal, which `re` searches many times faster than anything else.
_STEMS = (
    (b"pass", rb"(?!permission)(?:w(?:or)?[dt]|wd|phrase|code)?s?"), (b"pwd", b""), (b"psk", b""),
    (b"pw", b""),
    (b"secret", b""), (b"token", rb"(?!s)"), (b"credential", b""), (b"key", rb"(?!source)"),
    (b"auth", rb"(?!or[^i]|oring)(?:orization)?"), (b"honeycomb-team", b""), (b"macaroon", b""),
    # Not `_pat` alone: every other line of an agent has a path.
    *((name + b"_pat", rb"(?![a-z])") for name in (b"hub", b"lab", b"gh", b"ext", b"ops")),
    *((word.encode(), b"") for word in _FOREIGN),
)  # fmt: skip
# Every other line of an agent has its numbers of tokens.
_AFTER_TOKEN = b"abcdefghijklmnopqrtuvwxyz0123456789_.-\\\"'`])* \t\n\r\v\f=:>|?,<\xef"
# Two letters are in many a word.
_AFTER_PW = b"\\\"'`:= \t"
_AFTER = {
    stem: tuple(bytes([each]) for each in after)
    for stem, after in ((b"token", _AFTER_TOKEN), (b"pw", _AFTER_PW))
}
_NAMES = {
    stem: (
        re.compile(stem + rest + _TAIL + _SIGN + _SCHEME),
        frozenset(stem + after for after in _AFTER.get(stem, (b"",))),
    )
    for stem, rest in _STEMS
}
_STEM_OF = {anchor: stem for stem, (_, begins) in _NAMES.items() for anchor in begins}
# Keys that are secrets; there are many that are not.
_KEYS = tuple(
    b"api access secret private priv account auth encrypt encryption signing sign master session"
    b" license licence service shared storage ssh client deploy webhook admin subscription hmac"
    b" crypto app application bot ingest ingestion write read server root user rest instrumentation"
    b" function host integration event routing sdk consumer jwt aes rsa anon role provider openai"
    b" anthropic stripe google maps sendgrid x recovery".split()
)
# What such a name is about is not the secret itself.
_ABOUT = re.compile(
    rb"(?:count|limit|type|ids?|file|path|url|uri|names?|expir|_at|_in|usage|budget|len|size|per_"
    rb"|source|permission|field|label|hint|rate|iz|max|min|used|total|policy|manager|version|ttl|_env|_var|_ref|arn"
    rb"|board|word|press|down|_up|stroke|frame|space|chain|ring|pad|code\b|or\b|ors\b|hor)"
)
_CONNECTION = re.compile(
    rb"(?:server|data source|host|database|initial catalog|user(?: id|name)?|uid)=[^;\s\"]{1,80};"
)
_QUOTED = re.compile(rb"[^\s\"'`\\]{1,%d}" % MOST)
_PHRASE = re.compile(rb"[^\"'`\\\n]{1,80}")
_PROSE = frozenset(
    b"the a an your you is are must not and or of to for in with please enter required invalid"
    b" wrong password passwords passphrase username user login incorrect current new old forgot"
    b" reset confirm change set missing empty if that this be been has have at least characters"
    b" cannot can field from type value example optional given used uses when".split()
)
_PASSWORD_STEMS = (b"pas", b"pw", b"psk", *{word.encode()[:3] for word in _FOREIGN})
# What stands where a password should, in forms, schemas and translations.
_NO_PASSWORDS = frozenset(
    b"password passwords passwort passcode passphrase required optional incorrect disabled enabled"
    b" readonly encrypted confirmed nullable protected plaintext unchanged validate validation"
    b" credential credentials username external internal inherited automatic generated undefined"
    b" redacted placeholder anonymous supported forbidden mandatory expected prompted".split()
)
_BARE = re.compile(rb"[^\s\"'`\\,;&<>(){}\[\]|]{1,%d}" % MOST)
_NUMBER = re.compile(rb"[-+0-9.,:_eETZ/%]+")
# Not of the length of a commit's hash.
_HEX_KEY = re.compile(
    rb"(?:0x)?(?P<value>(?i:[0-9a-f]{32}|[0-9a-f]{48}|[0-9a-f]{64}|[0-9a-f]{96}|[0-9a-f]{128}))"
    rb"(?![0-9A-Za-z_-])"
)
_OPEN_HEX = re.compile(rb"(?:0x?)?[0-9a-fA-F]{0,128}\Z")
_NO_SECRET_KEY = re.compile(
    rb"(?:cache|pub(?:lic)?|primary|foreign|partition|sort|object|finger|idempotency|dedup|lookup|map"
    rb"|hash|group|index|row|sha|id|react|item|node|s3|file|query|unique|content|store|entry|lock|job"
    rb"|build|config|state|trace|artifact|restore|image|layer|digest|commit)[-_. \"']{0,3}\Z"
)
_NAME = b"abcdefghijklmnopqrstuvwxyz0123456789-_"
_KNOWN = re.compile(rb"[A-Za-z]{2,10}[-_]|eyJ|A[KS]IA|[-+=(]|[A-Za-z_]+=")
_PASSWORD = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

# In small letters: one of them is in each text that has such a value.
ANCHORS = frozenset(_STEM_OF)


def ranges(text: bytes, lower: bytes, anchors: frozenset[bytes]) -> Iterator[tuple[int, int]]:
    """Yields where values are that their names give away. `lower` is the text in small letters, and
    may have these of the anchors.
    """
    # Within the value of a name there may be another, again and again.
    first = last = 0
    for name in _names(lower, anchors):
        if first <= name.start() < last - MOST // 2:
            continue
        if (found := _value(text, lower, name)) is not None and _secret(text, name, *found):
            first, last = found
            yield found


def _names(lower: bytes, anchors: frozenset[bytes]) -> Iterator[re.Match[bytes]]:
    for stem in {_STEM_OF[anchor] for anchor in anchors & _STEM_OF.keys()}:
        yield from matches(*_NAMES[stem], lower, anchors)


def open_value(text: bytes, anchors: frozenset[bytes]) -> int | None:
    """Returns where a value begins that is not at its end yet, if the text ends within one."""
    lower, starts = text.lower(), list[int]()
    for name in _names(lower, anchors):
        found = _value(text, lower, name)
        if lower.startswith(b"key", name.start()) and name["sign"] is not None:
            found = found or (part.span() if (part := _OPEN_HEX.match(text, name.end())) else None)
        if found is not None and (
            (found[1] >= len(text) - 1 and found[1] - found[0] < MOST)
            or (_is_shell(text, name) and OPEN_DENSE.match(text, found[0]))
        ):
            starts.append(found[0])
    starts += schemes.open_values(text, lower)
    starts += commands.open_value(text, anchors)
    return min(starts, default=None)


def _value(text: bytes, lower: bytes, name: re.Match[bytes]) -> tuple[int, int] | None:
    """Returns where the value of a name is, if this is a name that a secret may have."""
    stem = lower[name.start() : name.start() + 3]
    if stem == b"key" and not _is_secret_key(lower, name.start()):
        return _hex_key(text, lower, name)
    # `passed to "…"` is about no password.
    if _ABOUT.search(name["tail"]) or (name["said"] and name["tail"]):
        return None
    if (
        stem[:2] == b"pw"
        and stem != b"pwd"
        and lower[max(0, name.start() - 1) : name.start()].isalpha()
    ):
        return None
    found = None
    if name["quote"] and stem.startswith(_PASSWORD_STEMS) and name["flag"] is None:
        found = _PHRASE.match(text, name.end())
        if found is not None and found.end() < len(text) - 1 and not _is_phrase(text, found):
            found = None
    if found is None and not name["quote"] and _is_shell(text, name):
        found = DENSE.match(text, name.end())
    found = found or (_QUOTED if name["quote"] else _BARE).match(text, name.end())
    if found is None:
        return None
    return found.start(), found.start() + len(found[0].rstrip(b".,;:"))


def _hex_key(text: bytes, lower: bytes, name: re.Match[bytes]) -> tuple[int, int] | None:
    """Returns where a key in hexadecimal is that nothing else than `key` introduces. Others are of
    tables, caches and maps, or public.
    """
    found = _HEX_KEY.match(text, name.end())
    if found is None or name["sign"] is None or name["tail"]:
        return None
    before = _NO_SECRET_KEY.search(lower, max(0, name.start() - 24), name.start())
    return None if before else found.span("value")


def _is_shell(text: bytes, name: re.Match[bytes]) -> bool:
    """Returns whether a name and its value are those of an environment: `SECRET_KEY=…`."""
    return name["sign"] == b"=" and text[name.start() : name.start() + 3].isupper()


def _is_secret_key(lower: bytes, start: int) -> bool:
    """Returns whether what stands before `key` says that it is a secret."""
    joined = start - (lower[start - 1 : start] in (b"_", b"-", b".", b" "))
    return lower.endswith(_KEYS, 0, joined)


def _is_phrase(text: bytes, found: re.Match[bytes]) -> bool:
    """Returns whether quoted words are a password of several words, and no sentence about one."""
    words = found[0].split(b" ")
    return (
        2 <= len(words) <= 8
        and text[found.end() : found.end() + 1] in (b'"', b"'", b"`", b"\\")
        and all((2 <= len(word) <= 20 and word.isalnum()) or word.isdigit() for word in words)
        and not _PROSE.intersection(found[0].lower().split(b" "))
    )


def _is_connection(text: bytes, name: re.Match[bytes], start: int) -> bool:
    """Returns whether the value is the password of a connection string: `Server=db;…;Pwd=…;`."""
    before = text[max(0, name.start() - 1) : name.start()]
    if before != b";" or name[0] not in (b"password=", b"pwd="):
        return False
    return _CONNECTION.search(text[max(0, start - 160) : start].lower()) is not None


def _is_token_option(text: bytes, name: re.Match[bytes], value: bytes) -> bool:
    """Returns whether it is the value of an option: JSON in base64, and no web token."""
    return value.startswith(b"eyJ") and len(value) >= 64 and _is_option(text, name)


def _is_option(text: bytes, name: re.Match[bytes]) -> bool:
    """Returns whether the name is that of an option of a command line."""
    before = text[max(0, name.start() - 24) : name.start()].lower()
    return before[len(before.rstrip(_NAME)) :].startswith(b"-")


def _secret(text: bytes, name: re.Match[bytes], start: int, end: int) -> bool:
    value, quoted = text[start:end], bool(name["quote"])
    if name["flag"] is not None and _KNOWN.match(value) and not _is_token_option(text, name, value):
        return False  # a secret of its own, or none
    if _HEX_KEY.fullmatch(value):
        return True
    is_marked = not quoted and value[:1] in b"*_~`"  # set in bold, or the like
    if STARS in value:
        # What was no value before a part of it was redacted is none now.
        return value.startswith(STARS) or not (is_marked or PLACEHOLDER.search(value[:128]))
    if DENSE.fullmatch(value) and (quoted or _is_shell(text, name)):
        return True
    if is_marked:
        return False
    if len(value) >= 4 and _is_connection(text, name, start):
        return not PLACEHOLDER.search(value[:128])
    if len(value) < 6 or PLACEHOLDER.search(value[:128]) or CODE.match(value):
        return False
    in_markup = name["sign"] == b">" or bool(name["field"])
    if not quoted and text[end : end + 1] in (b"(", b"[", b"{", b"<") and not in_markup:
        return False
    password, option = name[0].startswith(_PASSWORD_STEMS), _is_option(text, name)
    if name["flag"] is not None and not password and not option:
        # Only what can be nothing else: `apikey 0123…`, `define('AUTH_KEY', '…')`.
        return len(value) >= 24 and has_mixed_characters(value)
    if b" " in value:
        return password
    shell = text[name.start() : name.start() + 3].isupper()
    tight = name["sign"] == b"=" and text[start - 1 : start] == b"="
    in_setting = shell and name["flag"] is not None  # `ENV DB_PASSWORD …`
    given = quoted or (tight and shell) or in_setting or in_markup or bool(name["pair"])
    digits = count(value, DIGITS) > 0
    if _NUMBER.fullmatch(value):
        return password and given
    if _is_invented(name, value, option=option, password=password):
        return True
    if consists_of_words(value if password else value.replace(b":", b"-")):
        hyphens = value.count(b"-")
        if name[0].startswith(b"secret"):
            return hyphens >= 3 and len(value) >= 16 and (given or digits)
        joined = hyphens >= 2 and len(value) >= 12
        short = digits and not value.strip(_PASSWORD + b"." if shell else _PASSWORD)
        if password and (given or option or bool(name["said"])) and (joined or short):
            return True
        return password and _is_bare_password(name, value, quoted=quoted, shell=tight and shell)
    if name["flag"] is not None and password:
        return digits and (quoted or option or value.lower() != value)
    if not digits:
        # Names in code change between small and capital letters, too, but not so often.
        symbols = count(value, b"!@#$%^&*?~+")
        return len(value) >= 16 or (password and symbols > 0)
    return len(value) >= (6 if given or tight or password else 10)


def _is_invented(name: re.Match[bytes], value: bytes, *, option: bool, password: bool) -> bool:
    """Returns whether a value is no word though it has nothing but letters, perhaps with a number:
    behind a name that says nothing else than that it is a secret, this is one.
    """
    if len(value) < 8 or value.strip(_PASSWORD) or name[0].startswith(b"auth"):
        return False
    introduced = name["sign"] is not None or option or (password and name["said"] is not None)
    return introduced and looks_invented(value)


def _is_bare_password(name: re.Match[bytes], value: bytes, *, quoted: bool, shell: bool) -> bool:
    """Returns whether words, perhaps with a number, are the password itself: `password: sunny-22`,
    `DB_PASSWORD=supersecret`, `password = "mysweethome"`.
    """
    if len(value) < 8 or name["sign"] is None:
        return False
    if value.isalpha():
        plain = shell or (quoted and value.islower() and not name["tail"])
        return plain and value.lower() not in _NO_PASSWORDS
    digits = count(value, DIGITS)
    return (
        digits >= 2
        and not name["tail"]
        and not value.strip(_PASSWORD)
        and not name[0].startswith(b"pass" + name["sign"])
    )
