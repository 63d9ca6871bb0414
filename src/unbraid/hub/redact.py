"""Masks API keys and tokens in what is stored and shown.

Twice, because secrets come in two ways. Whole ones are masked in a source's bytes, line by line,
before anything else sees them; every mask is as long as what it hides, so offsets stay true. Those
that an agent prints bit by bit are cut by its deltas, and are masked in the events: once a known
prefix has been seen, whatever follows it is hidden, however it is cut. Secrets that can only be
told by their length (a JWT, `PASSWORD=…`) show their first few characters when they come bit by
bit.
"""

from __future__ import annotations

import re

from unbraid.events import FleetEvent, StreamEnd, Text, Thinking, decode_event, encode

_PREFIXES = (
    r"sk-(?:ant|proj|or|svcacct|admin|lf)-",
    r"gh[pousr]_",
    r"github_pat_",
    r"gl(?:pat|rt|soat)-",
    r"xox[abeoprs]-",
    r"hf_",
    r"npm_",
    r"pypi-Ag",
    r"(?:AKIA|ASIA)(?=[A-Z0-9])",
    r"AIza(?=[A-Za-z0-9_-])",
    r"[rs]k_(?:live|test)_",
    r"unbraid_(?=[A-Za-z0-9_-]{43})",
)
# What a secret is made of, and where one may begin: not in the middle of a word.
_BODY = r"[A-Za-z0-9_\-]"
_BY_PREFIX = rf"(?<![A-Za-z0-9])(?:{'|'.join(_PREFIXES)})(?P<prefixed>{_BODY}{{LEAST,}})"
_BY_SHAPE = (
    r"(?<![A-Za-z0-9])sk-(?P<openai>[A-Za-z0-9]{20,})",
    rf"(?<![A-Za-z0-9])eyJ(?P<jwt>{_BODY}{{10,}}\.{_BODY}{{10,}}\.{_BODY}{{10,}})",
    r"(?i:bearer)\s+(?P<bearer>[A-Za-z0-9_\-.~+/]{16,}=*)",
    r"(?i:api_?key|secret|token|passw(?:or)?d)\\?[\"']?\s{0,3}[=:]\s{0,3}\\?[\"']?"
    r"(?P<named>[A-Za-z0-9_\-./+]{12,}=*)",
    r"-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----(?P<key>[^-]+)",
)
_WHOLE = re.compile("|".join((_BY_PREFIX.replace("LEAST", "12"), *_BY_SHAPE)))
_WHOLE_BYTES = re.compile(_WHOLE.pattern.encode())
_CUT = re.compile("|".join((_BY_PREFIX.replace("LEAST", "0"), *_BY_SHAPE)))
_MORE = re.compile(rf"{_BODY}*")

# As much of a block as a prefix may have been cut over.
_TAIL_CHARS = 64


def mask_bytes(data: bytes) -> bytes:
    """The same bytes with every whole secret masked, and as many of them."""

    def stars(match: re.Match[bytes]) -> bytes:
        start, end = match.span(match.lastgroup or 0)
        return data[match.start() : start] + b"*" * (end - start) + data[end : match.end()]

    return _WHOLE_BYTES.sub(stars, data)


class _Block:
    """One block that is being said: its end so far, and whether that is the middle of a secret."""

    __slots__ = ("inside", "key", "tail")

    def __init__(self, key: tuple[str, str, int]) -> None:
        self.key, self.tail, self.inside = key, "", False

    def mask(self, delta: str) -> str:
        """The next of it, with what belongs to a secret masked."""
        hidden = 0
        if self.inside:
            more = _MORE.match(delta)
            hidden = more.end() if more else 0
            self.inside = hidden == len(delta)
        text = self.tail + delta
        masked, known = list(text), len(self.tail)
        masked[known : known + hidden] = "*" * hidden
        for match in _CUT.finditer(text):
            start, end = match.span(match.lastgroup or 0)
            masked[start:end] = "*" * (end - start)
            self.inside = self.inside or (end == len(text) and match.lastgroup == "prefixed")
        self.tail = text[-_TAIL_CHARS:]
        return "".join(masked[known:])


class SecretMask:
    """Masks the secrets of one run."""

    def __init__(self) -> None:
        self._blocks: dict[int, _Block] = {}

    def bytes(self, data: bytes) -> bytes:
        """Whole lines of a source."""
        return mask_bytes(data)

    def events(self, events: list[FleetEvent]) -> list[FleetEvent]:
        """Events of the run, in order."""
        return [self._event(event) for event in events]

    def _event(self, event: FleetEvent) -> FleetEvent:
        if isinstance(event, Text | Thinking):
            key = (event.type, event.message_id, event.block)
            block = self._blocks.get(event.stream_id)
            if block is None or block.key != key:
                block = self._blocks[event.stream_id] = _Block(key)
            event.delta = block.mask(event.delta)
            return event
        if isinstance(event, StreamEnd):
            self._blocks.pop(event.stream_id, None)
        data = encode(event)
        masked = mask_bytes(data)
        return event if masked == data else decode_event(masked)
