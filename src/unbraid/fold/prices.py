"""What a model message costs by a list of prices, where its agent's CLI does not report that.

The list is data: `unbraid.system.prices` reads it. A model's price may have changed on a date, may
depend on the time of day, and may be another for a long context: then the whole message is charged
by the tier that its input reaches.
"""

from __future__ import annotations

import re
from functools import cached_property
from math import inf
from typing import Any

from msgspec import Struct, field

from unbraid.events import FleetTokenUsage, TokenUsage

DAY_MS = 86_400_000
MILLION = 1_000_000

# A condition on a model's name: its kind, and a text or further conditions.
Condition = tuple[str, Any]

# The dollars for a million tokens: plain input, output, read from the cache, written to it, written
# to it for an hour.
Weights = tuple[float, float, float, float, float]

# A cloud puts its region and the maker before a model's name: `eu.maker.model-1`.
_PREFIX = re.compile(r"^(?:.*/)?(?:[a-z]+\.){0,2}")
_SUFFIX = re.compile(r"\[[^\]]*\]$|-v\d+:\d+$")
_COMPACT_DATE = re.compile(r"-(20\d\d)(\d\d)(\d\d)$")


class Rate(Struct, frozen=True, array_like=True):
    """Dollars for a million tokens, and from which length of the input on it is another: pairs of
    tokens and dollars, the longest first.
    """

    base: float
    tiers: tuple[tuple[int, float], ...] = ()

    def at(self, input_tokens: int) -> float:
        """Returns the dollars for a million tokens of a message with that much input."""
        for above, price in self.tiers:
            if input_tokens > above:
                return price
        return self.base


class Rates(Struct, frozen=True, omit_defaults=True, dict=True):
    """What one model's tokens cost. What has no rate of its own is charged as plain input.

    `since` is the first day, counted from 1970, and `hours` the seconds of the day (UTC) between
    which they hold.
    """

    input: Rate | None = None
    output: Rate | None = None
    cache_read: Rate | None = None
    cache_write: Rate | None = None
    cache_write_1h: Rate | None = None
    request: float = 0.0
    since: int | None = None
    hours: tuple[int, int] | None = None

    def weights(self, length: int) -> Weights:
        """Returns the prices of a message with that much input."""
        longest, short = self._short
        return short if length <= longest else self._weights(length)

    @cached_property
    def _short(self) -> tuple[float, Weights]:
        """The prices of messages that reach no tier, and how long those are: a history has many
        messages and few prices.
        """
        rates = (self.input, self.output, self.cache_read, self.cache_write, self.cache_write_1h)
        tiers = [above for rate in rates if rate is not None for above, _ in rate.tiers]
        return min(tiers, default=inf), self._weights(0)

    def _weights(self, length: int) -> Weights:
        plain = 0.0 if self.input is None else self.input.at(length)
        read = plain if self.cache_read is None else self.cache_read.at(length)
        write = plain if self.cache_write is None else self.cache_write.at(length)
        hour = write if self.cache_write_1h is None else self.cache_write_1h.at(length)
        output = 0.0 if self.output is None else self.output.at(length)
        return plain, output, read, write, hour

    def hold(self, ts: int) -> bool:
        """Returns whether these are the prices of a moment."""
        if self.since is not None and ts // DAY_MS < self.since:
            return False
        if self.hours is None:
            return True
        begin, end = self.hours
        second = ts % DAY_MS / 1000
        return begin <= second < end if begin <= end else second >= begin or second < end


class PricedModel(Struct, frozen=True):
    """The models of a name, and their prices in the order in which they came to hold."""

    match: Condition
    rates: tuple[Rates, ...]


class PriceProvider(Struct, frozen=True):
    """A seller of models: the names of its models, and what they cost."""

    match: Condition
    models: tuple[PricedModel, ...]
    fallback: tuple[str, ...] = ()
    name: str = ""


class PriceList(Struct, frozen=True):
    """All prices there are, and the version of the package that they come from."""

    version: str
    providers: tuple[PriceProvider, ...] = field(default=())


class MessageTokens(Struct, frozen=True, gc=False):
    """The tokens of one message. `cache_1h_tokens` are those of `cache_creation_tokens` that are
    kept for an hour, which costs more.
    """

    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_creation_tokens: int = 0
    cache_1h_tokens: int = 0


def tokens_of(event: TokenUsage | FleetTokenUsage) -> MessageTokens:
    """Returns the tokens that an event reports."""
    return MessageTokens(
        input_tokens=event.input_tokens,
        output_tokens=event.output_tokens,
        cache_read_tokens=event.cache_read_tokens,
        cache_creation_tokens=event.cache_creation_tokens,
        cache_1h_tokens=event.cache_1h_tokens,
    )


class Prices:
    """Prices by the names of models. `own` are a person's own prices, which take precedence over
    the list.
    """

    def __init__(self, listed: PriceList, own: dict[str, Rates] | None = None) -> None:
        self._listed = listed
        self._own = own or {}
        self._known: dict[str, tuple[Rates, ...]] = {}

    def rates(self, model: str) -> tuple[Rates, ...]:
        """Returns all prices that a model has had; none if the model is unknown."""
        found = self._known.get(model)
        if found is None:
            found = self._known[model] = self._find(model)
        return found

    def provider(self, model: str) -> str | None:
        """Returns the seller of a model of that name; None if the model is unknown."""
        name = model.lower()
        for each in dict.fromkeys((name, _SUFFIX.sub("", _PREFIX.sub("", name)))):
            for provider in self._listed.providers:
                if matches(provider.match, each):
                    return provider.name
        return None

    def cost(
        self, model: str | None, ts: int, tokens: MessageTokens | TokenUsage | FleetTokenUsage
    ) -> float | None:
        """Returns what a message costs in dollars; None if its model has no price."""
        if not model or not (rates := self._known.get(model) or self.rates(model)):
            return None
        held = rates[0]
        if len(rates) > 1:
            held = next((each for each in reversed(rates) if each.hold(ts)), held)
        plain, output = tokens.input_tokens, tokens.output_tokens
        read, write = tokens.cache_read_tokens, tokens.cache_creation_tokens
        hour = min(tokens.cache_1h_tokens, write)
        weights = held.weights(plain + read + write)
        total = (
            plain * weights[0]
            + output * weights[1]
            + read * weights[2]
            + (write - hour) * weights[3]
            + hour * weights[4]
        )
        return total / MILLION + held.request / 1000

    def _find(self, model: str) -> tuple[Rates, ...]:
        name = model.lower()
        bare = _SUFFIX.sub("", _PREFIX.sub("", name))
        own = {key.lower(): rates for key, rates in self._own.items()}
        for each in (name, bare):
            if each in own:
                return (own[each],)
        for each in dict.fromkeys((name, bare)):
            if found := self._listed_rates(each):
                return found
        return ()

    def _listed_rates(self, name: str) -> tuple[Rates, ...]:
        for provider in self._listed.providers:
            if matches(provider.match, name):
                dashed = _COMPACT_DATE.sub(r"-\1-\2-\3", name)
                return self._model(provider, name) or self._model(provider, dashed)
        return ()

    def _model(self, provider: PriceProvider, name: str) -> tuple[Rates, ...]:
        others = [each for each in self._listed.providers if each.name in provider.fallback]
        for place in (provider, *others):
            for model in place.models:
                if matches(model.match, name):
                    return model.rates
        return ()


def matches(condition: Condition, name: str) -> bool:
    """Returns whether a name, in small letters, meets a condition."""
    kind, given = condition
    match kind:
        case "starts":
            return name.startswith(given)
        case "ends":
            return name.endswith(given)
        case "contains":
            return given in name
        case "equals":
            return bool(name == given)
        case "regex":
            return re.search(given, name) is not None
        case "or":
            return any(matches(each, name) for each in given)
        case "and":
            return all(matches(each, name) for each in given)
    return False
