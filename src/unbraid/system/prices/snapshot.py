"""The bundled prices of the package `genai-prices`, as a list of ours.

Importing that package takes longer than reading a whole history, so its prices are taken out of it
once, into `prices.json` beside this file:

    python -m unbraid.system.prices.snapshot

Where a newer release of it is installed than the one that `prices.json` was made from, the prices
are taken out again, and kept in a folder of ours.
"""

from __future__ import annotations

import sys
from datetime import date
from pathlib import Path
from typing import Any

import msgspec

from unbraid.fold.prices import (
    Condition,
    PricedModel,
    PriceList,
    PriceProvider,
    Rate,
    Rates,
)

PACKAGE = "genai-prices"
BUNDLED = Path(__file__).with_name("prices.json")
_EPOCH = date(1970, 1, 1).toordinal()


def snapshot() -> PriceList:
    """Returns the prices of the installed package. Only providers whose models are known by their
    names alone are of use here: agents do not report who was paid.
    """
    import genai_prices
    from genai_prices.data import providers

    found = [
        PriceProvider(
            match=_condition(provider.model_match),
            models=tuple(
                PricedModel(_condition(model.match), _all_rates(model.prices))
                for model in provider.models
            ),
            fallback=tuple(provider.fallback_model_providers or ()),
            name=provider.id,
        )
        for provider in providers
        if provider.model_match is not None
    ]
    return PriceList(genai_prices.__version__, tuple(found))


def _condition(clause: Any) -> Condition:
    for kind, name in (
        ("starts", "starts_with"),
        ("ends", "ends_with"),
        ("contains", "contains"),
        ("equals", "equals"),
        ("regex", "regex"),
    ):
        if hasattr(clause, name):
            text = getattr(clause, name)
            return kind, text if kind == "regex" else text.lower()
    for kind, name in (("or", "or_"), ("and", "and_")):
        if hasattr(clause, name):
            return kind, tuple(_condition(each) for each in getattr(clause, name))
    raise TypeError(f"a condition of {PACKAGE} that is not known here: {clause!r}")


def _all_rates(prices: Any) -> tuple[Rates, ...]:
    if not isinstance(prices, list):
        return (_rates(prices, None),)
    return tuple(_rates(each.prices, each.constraint) for each in prices)


def _rates(price: Any, constraint: Any) -> Rates:
    start = getattr(constraint, "start_date", None)
    begin, end = (getattr(constraint, name, None) for name in ("start_time", "end_time"))
    return Rates(
        input=_rate(price.input_mtok),
        output=_rate(price.output_mtok),
        cache_read=_rate(price.cache_read_mtok),
        cache_write=_rate(price.cache_write_mtok),
        cache_write_1h=_rate(price.cache_write_1h_mtok),
        request=float(price.requests_kcount or 0),
        since=None if start is None else start.toordinal() - _EPOCH,
        hours=None if begin is None or end is None else (_second(begin), _second(end)),
    )


def _rate(price: Any) -> Rate | None:
    if price is None:
        return None
    tiers = getattr(price, "tiers", None)
    if tiers is None:
        return Rate(float(price))
    longest_first = sorted(tiers, key=lambda tier: -tier.start)
    return Rate(float(price.base), tuple((tier.start, float(tier.price)) for tier in longest_first))


def _second(time: Any) -> int:
    offset = time.utcoffset()
    away = 0 if offset is None else round(offset.total_seconds())
    return int(time.hour * 3600 + time.minute * 60 + time.second - away) % 86400


if __name__ == "__main__":
    BUNDLED.write_bytes(msgspec.json.format(msgspec.json.encode(snapshot()), indent=0) + b"\n")
    print(f"{BUNDLED}: {BUNDLED.stat().st_size} bytes", file=sys.stderr)
