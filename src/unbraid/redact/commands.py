"""Passwords that command lines, statements and calls carry at a known place, without a name.

`curl -u me:…`, `sshpass -p …`, `mysql -p…`, `IDENTIFIED BY '…'`, `auth=("me", "…")`, `… | sudo -S`.
Each pattern begins with a literal, which `re` searches many times faster than anything else, and
looks a bounded way ahead.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_APART = rb"[ \t\"',\\]{1,8}"
# The rest of the same command, as short as possible.
_ARGUMENTS = rb"\b[^\n|;&]{0,160}?[ \t\"',]"
_VALUE = rb"(?P<value>[^\s\"'`\\,;|&<>]{1,128})"
# By a word in small letters: the word as it is, and a pattern of which each match has it.
_Patterns = dict[bytes, list[tuple[bytes, re.Pattern[bytes]]]]


def _compiled(*patterns: tuple[bytes, bytes], value: bytes = _VALUE) -> _Patterns:
    """Returns patterns that each begin with a word."""
    compiled: _Patterns = {}
    for word, rest in patterns:
        pattern = re.compile(re.escape(word) + rest + value)
        compiled.setdefault(word.lower(), []).append((word, pattern))
    return compiled


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
    (b"7z ", rb"[a-z] [^\n|;&]{0,160}?-p[\"']{0,2}"),
    (b"cqlsh", _ARGUMENTS + rb"-p" + _APART),
    (b"psexec", _ARGUMENTS + rb"-p" + _APART),
    (b"ipmitool", _ARGUMENTS + rb"-P" + _APART),
    (b"snmp", rb"(?:walk|get|set|bulkwalk)" + _ARGUMENTS + rb"-A" + _APART),
    (b"snmp", rb"(?:walk|get|set|bulkwalk)" + _ARGUMENTS + rb"-X" + _APART),
    (b"etcdctl", _ARGUMENTS + rb"--user[ =][\"']{0,2}[^\s:\"']{1,64}:"),
    (b"lftp", _ARGUMENTS + rb"-u" + _APART + rb"[^\s,\"']{1,64},"),
    (b"openssl enc", _ARGUMENTS + rb"-k" + _APART),
    (b"openssl enc", _ARGUMENTS + rb"-K" + _APART),
    (b"put-parameter", _ARGUMENTS + rb"--value[ =]" + rb"[\"']{0,2}"),
    (b"secret set ", rb"[^\n|;&]{0,96}(?:-b|--body)[ \t\"'=]{1,4}"),
)  # fmt: skip
# Text in quotes, and the quotes of a value, also within JSON.
_QUOTE = rb"\\{0,3}[\"']"
_WORDS = _QUOTE + rb"[^\"'\\\n]{1,160}" + _QUOTE
_ARGUMENT = rb"(?:" + _WORDS + rb"|[A-Za-z_][A-Za-z0-9_.$>-]{0,64}), ?"
_LITERAL = rb"[bfru]?" + _QUOTE
_CALLS = _compiled(
    (b"auth=(", _ARGUMENT + _LITERAL),
    (b"Wallet(", _LITERAL),
    (b"createHmac(", _ARGUMENT + _LITERAL),
    (b"hmac.new(", _LITERAL),
    *((call, _ARGUMENT + _LITERAL) for call in (b"jwt.sign(", b"jwt.encode(", b"jwt.verify(")),
    (b"PASSWORD(", _LITERAL),
    (b"BasicAuth(", _ARGUMENT + _LITERAL),
    (b".login(", _ARGUMENT + _LITERAL),
    (b"mysqli", rb"(?:_connect)?\(" + 2 * _ARGUMENT + _LITERAL),
    (b"new PDO(", 2 * _ARGUMENT + _LITERAL),
    (b"getConnection(", 2 * _ARGUMENT + _LITERAL),
    value=rb"(?P<value>[^\"'\\\n]{1,128})",
)
# The words of a wallet.
_WALLET_NAMES = tuple(b"mnemonic MNEMONIC Mnemonic seed_phrase SEED_PHRASE seedPhrase".split())
_WALLET = rb"[^\n:=]{0,24}[:=][ \\\"'`]{0,8}"
_WALLETS = _compiled(
    *((name, _WALLET) for name in _WALLET_NAMES),
    value=rb"(?P<value>(?:[a-z]{3,8} ){11,23}[a-z]{3,8})",
)
_OPEN_WALLET = re.compile(
    rb"(?:" + b"|".join(_WALLET_NAMES) + rb")" + _WALLET + rb"(?P<value>[a-z ]{1,216})\Z"
)
# `user:…@tcp(host)`, as Go has it.
_LOGIN = re.compile(rb":(?P<value>[^\s:@/\"'`\\]{1,128})@tcp\(")
_OPEN_LOGIN = re.compile(rb":(?P<value>[^\s:@/\"'`\\]{1,128})@?t?c?p?\Z")
# Also within JSON.
_GAP = rb"(?:\s|\\{1,4}[nrt]){1,16}"
_OTHERS = _compiled(
    (b"htpasswd", rb" [^\n|;&]{0,16}-[a-zA-Z]{0,4}b[a-zA-Z]{0,4}(?: \S{1,96}){2} [\"']{0,2}"),
    (b"rabbitmqctl", rb" (?:add_user|change_password) \S{1,64} [\"']{0,2}"),
    (b"IncomingWebhook/", rb""),
    *((port, rb"[^\s:]{1,64}:[^\s:]{1,64}:") for port in (b":5432:", b":5433:", b":6432:")),
    (b"login ", rb"[^\s\"'\\]{1,64}" + _GAP + rb"password" + _GAP),
    (b"username ", rb"\S{1,64} (?:privilege [0-9]{1,2} )?(?:password|secret) (?:[0-9] )?"),
    (b"-server key ", rb"(?:[0-9] )?"),
    (b"WIFI:", rb"[^\s\"'\\]{0,80}?;P:"),
    (b"IDENTIFIED", rb"(?: WITH [a-zA-Z_0-9]{1,40})? BY (?:PASSWORD )?\\{0,3}[\"']"),
    (b"ConvertTo-SecureString", rb"(?: -String)? \\{0,3}[\"']?"),
    (b"http -a ", rb"[^\s:\"'`\\]{1,96}:"),
    (b"infura.io/v3/", rb""),
    (b"alchemy.com/v2/", rb""),
    (b"openssl passwd", rb" (?:-[a-z0-9]{1,6} ){0,3}[\"']{0,2}"),
    *((program, rb" [^\s/@]{1,64}/") for program in (b"sqlplus", b"expdp", b"impdp", b"sqlldr")),
    (b"http-basic.", rb"\S{1,64} \S{1,64} [\"']{0,2}"),
    (b"user = ", _QUOTE + rb"[^\s:\"\\]{1,64}:"),
    (b"redentials: ", rb"[\w.@-]{1,64} ?/ ?"),
    (b"xfreerdp", _ARGUMENTS + rb"/p:[\"']{0,2}"),
    (b"wpa_passphrase", rb" \S{1,64} [\"']{0,2}"),
    (b"net use ", rb"[^\n|;&]{0,96}/user:\S{1,64} [\"']{0,2}"),
    (b"masterauth", rb" [\"']{0,2}"),
    (b"snmp-server community", rb" "),
    (b"assword", rb"[^;)]{0,24}[;)](?:\\[nrt]|[^(\"'\\]){0,48}?send(?:line)?[ (](?:-- )?" + _QUOTE),
)  # fmt: skip
_OTHERS |= {**_CALLS, **_WALLETS, b"@tcp(": [(b"@tcp(", _LOGIN)]}
# Numbers that give access.
_CODE_SIGN = rb"\\{0,3}[\"'`*]{0,2}(?: ?[:=]| is:?)[ \"'`*\\]{0,6}"
_CODE_NAMES = tuple(
    b"PIN|PIN code|OTP|erification code|ecurity code|ne-time code|ogin code|ogin PIN".split(b"|")
)
_CODES = _compiled(
    *((word, _CODE_SIGN) for word in _CODE_NAMES),
    value=rb"(?P<value>[0-9]{4,8}|\*{8,})(?![0-9]|[.:-][0-9])",
)
_BACKUPS = _compiled(
    *((word, _CODE_SIGN) for word in (b"ackup code", b"ecovery code")),
    value=rb"(?P<value>(?=[a-zA-Z-]{0,8}[0-9])[0-9A-Za-z]{3,6}-?[0-9A-Za-z]{3,6})(?![0-9A-Za-z])",
)
_OPEN_BACKUP = re.compile(
    rb"(?:ackup|ecovery) code" + _CODE_SIGN + rb"(?P<value>[0-9A-Za-z-]{1,13})\Z"
)
_RECOVERY = _compiled(
    *((word, rb"[^\n0-9]{0,24}") for word in (b"ecovery key", b"ecovery Key")),
    value=rb"(?P<value>(?:[0-9]{6}-){7}[0-9]{6})(?![0-9-])",
)
# As MySQL says it: with any sign in it.
_GENERATED = _compiled(
    (b"password is generated for ", rb"\S{1,64}: "), value=rb"(?P<value>[^\s\"\\]{1,64})"
)
_OTHERS |= {**_BACKUPS, **_RECOVERY, **_GENERATED}
_OPEN_CODE = re.compile(
    rb"(?:" + b"|".join(_CODE_NAMES) + rb")" + _CODE_SIGN + rb"(?P<value>[0-9]{1,8}[.:-]?)\Z"
)
# What all of those with an option have in common. Hardly any text has it.
_OPTION = re.compile(rb"-(?<=[ \t\"',]-)(?:[pPuUawNbAXkK]|-(?:proxy-)?user|-body|-value)")
# What stands there in manuals, and what is set elsewhere.
_NO_PASSWORD = re.compile(
    rb"(?i)[-$%<{\[(*.@/]|x{3,}\Z|(?:your|my|some|the|user)?[-_]?(?:pass(?:w(?:or)?d|wd|phrase)?|pw|pwd"
    rb"|secret|token|api[-_]?key|key|string|port|stdin)\Z|(?:your|change|replace|insert)[-_a-z]*\Z"
    rb"|[0-9]{1,4}\Z"
)
# Keys that look like a hash, by what stands behind them or before them.
_AFTER_HEX = re.compile(rb"-us[0-9]{1,2}(?![0-9A-Za-z])|-[0-9a-f]{8}-[0-9a-f]{8}(?![0-9A-Za-z-])")
_BEFORE_HEX = re.compile(rb"(?:(?<![A-Za-z0-9_])key-|[0-9]{13}:|[0-9a-z*]{16}\$)\Z")

# --- what a program reads from its standard input ---
# `echo … | sudo -S`, `printf … | docker login --password-stdin`, `echo me:… | chpasswd`,
# `sudo -S … <<< …`: what gives such a password away stands behind it, or far before it.

# All that is printed is the password, with spaces, too.
_PRINTED_VALUE = rb"(?P<value>[^\s\"'`\\,;|&<>](?:[^\"'`\\|;&<>\n]{0,126}[^\s\"'`\\|;&<>])?)"
_QUOTES = rb"[\\\"']{0,4}"
_FORMAT = _QUOTES + rb"%s(?:\\{1,4}n)?" + _QUOTES
_PRINTED = (
    rb"(?:echo(?: -[neE]{1,3})?|printf(?: --)?(?: " + _FORMAT + rb")?) "
    + _QUOTES + rb"(?:[a-z_][a-z0-9_-]{0,31}:(?=[^|\n]{1,160}\| ?(?:sudo )?chpasswd))?"
    + _PRINTED_VALUE + rb"(?:\\{1,4}n)?" + _QUOTES
)  # fmt: skip
_SUDO = (
    rb"sudo(?: -[a-zA-Z]{1,4}| -[pu] \S{1,32}| --[a-z-]{1,24}){0,3}? (?:-[a-zA-Z]{0,3}S|--stdin)"
)
_READERS = (
    rb"(?:" + _SUDO + rb"|(?:sudo )?(?:chpasswd|kinit|passwd --stdin|cryptsetup|smbpasswd)"
    rb"|[^\n|;&]{0,120}--(?:(?:password|pass|passwd-on|token|api-key)-stdin|with-token|passphrase-fd))"
)
_PIPED = re.compile(_PRINTED + rb" ?\| ?" + _READERS)
_OPEN_PIPE = re.compile(_PRINTED + rb" ?(?:\|[^\n|;&]{0,160})?\Z")
_BREAK = rb"(?:\n|\\{1,4}n)"
_DOCUMENT = rb"-? ?" + _QUOTES + rb"[A-Za-z_]{1,16}" + _QUOTES + _BREAK
_GIVEN = re.compile(
    _SUDO + rb"[^\n|;&<]{0,96}<<(?:< ?|" + _DOCUMENT + rb")" + _QUOTES + _PRINTED_VALUE
)
# In small letters: one of them is in each text with such a password.
_READING = frozenset((
    b"sudo", b"chpasswd", b"kinit", b"--stdin", b"cryptsetup", b"smbpasswd",
    b"-stdin", b"--with-token", b"--passphrase-fd",
))  # fmt: skip
_PRINTING = frozenset((b"echo", b"printf"))


# In small letters: one of them is in each text that has such a password.
ANCHORS = _READING | _PRINTING | _WITH_OPTION.keys() | _OTHERS.keys() | _CODES.keys()


def ranges(text: bytes, anchors: frozenset[bytes]) -> Iterator[tuple[int, int]]:
    """Yields where such passwords are, in a text that may have these of the anchors."""
    for found in _found(text, anchors):
        value = found["value"]
        if len(value) >= 4 and (value.startswith(b"*" * 8) or not _NO_PASSWORD.match(value)):
            yield found.span("value")
    for word, pattern in (each for anchor in anchors & _CODES.keys() for each in _CODES[anchor]):
        # Not in the middle of a word, which ends with a capital letter.
        yield from (
            found.span("value")
            for found in (pattern.finditer(text) if word in text else ())
            if not text[max(0, found.start() - 1) : found.start()].isupper()
        )


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
    for pattern in (_OPEN_LOGIN, _OPEN_WALLET, _OPEN_CODE, _OPEN_BACKUP):
        yield from (found.start("value") for found in pattern.finditer(text))
    yield from _open_pipe(text, anchors)


def _found(text: bytes, anchors: frozenset[bytes]) -> Iterator[re.Match[bytes]]:
    known = [each for anchor in anchors & _OTHERS.keys() for each in _OTHERS[anchor]]
    if (options := anchors & _WITH_OPTION.keys()) and _OPTION.search(text):
        known += [each for anchor in options for each in _WITH_OPTION[anchor]]
    for word, pattern in known:
        # `in` is many times faster than any pattern.
        if word in text:
            yield from pattern.finditer(text)
    yield from _piped(text, anchors)


def _piped(text: bytes, anchors: frozenset[bytes]) -> Iterator[re.Match[bytes]]:
    """Yields the matches of such passwords, in a text that may have these of the anchors."""
    if anchors.isdisjoint(_READING):
        return
    if not anchors.isdisjoint(_PRINTING):
        yield from _PIPED.finditer(text)
    if b"sudo" in anchors:
        yield from _GIVEN.finditer(text)


def _open_pipe(text: bytes, anchors: frozenset[bytes]) -> Iterator[int]:
    """Yields where a value begins that may turn out to be a password."""
    if not anchors.isdisjoint(_PRINTING):
        for match in _OPEN_PIPE.finditer(text):
            yield match.start("value")
