"""Events as lines of JSON, and back."""

from __future__ import annotations

from functools import cache, reduce
from operator import or_
from typing import Any

import msgspec

from unbraid.events.codec import json_decoder
from unbraid.events.fleet import FLEET_EVENTS, Draft, FleetEvent, FleetUnrecognized, Gap
from unbraid.events.parts import WithContent, WithInput, valid_utf8
from unbraid.events.relay import RELAY_EVENTS, RelayEvent, Unrecognized

# Events that carry bytes of the source as they came.
_CARRIERS = (WithInput, WithContent, Unrecognized, FleetUnrecognized)
PASSING_THROUGH = frozenset(
    kind for kind in (*FLEET_EVENTS, *RELAY_EVENTS) if issubclass(kind, _CARRIERS)
)

_encoder = msgspec.json.Encoder()


def decode_event(data: bytes) -> FleetEvent:
    """Returns one entry of a log, from its line of JSON."""
    return _decoder().decode(data)


@cache
def _decoder() -> msgspec.json.Decoder[FleetEvent]:
    # Made when it is needed: making it takes longer than the rest of this module.
    union: Any = reduce(or_, FLEET_EVENTS)
    return json_decoder(union)


def encode(event: RelayEvent | FleetEvent | Gap | Draft) -> bytes:
    """Returns one event as one line of JSON, without the newline."""
    data = _encoder.encode(event)
    return valid_utf8(data) if type(event) in PASSING_THROUGH else data
