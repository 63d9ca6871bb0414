"""A person's own prices: a JSON file, in dollars for a million tokens.

    {
      "my-model": {"input": 3, "output": 15, "cache_read": 0.3, "cache_write": 3.75},
      "long-model": {"input": 1, "output": 4, "above": {"200000": {"input": 2, "output": 6}}}
    }

`above` has the prices of messages with more input than that. What is wrong in the file is reported,
and everything else in it counts.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from unbraid.fold.prices import Rate, Rates
from unbraid.system.files import read_small
from unbraid.system.home import data_folder

VARIABLE = "UNBRAID_PRICES"
FILE_NAME = "prices.json"
# Far above every price there is. A sum of larger ones would be no number any more.
MAX_DOLLARS = 1_000_000_000
MAX_DIGITS = 15
NAMES = ("input", "output", "cache_read", "cache_write", "cache_write_1h")


def own_prices(env: Mapping[str, str]) -> tuple[dict[str, Rates], dict[str, str], str]:
    """Returns a person's own prices by model, what is wrong in their file, by place, and the text
    that they come from. There need not be such a file, unless it is named.
    """
    named = env.get(VARIABLE)
    path = Path(named) if named else data_folder(env) / FILE_NAME
    try:
        data = read_small(path, links=True)
    except FileNotFoundError:
        return {}, {str(path): "no such price file"} if named else {}, ""
    except OSError as error:
        return {}, {str(path): f"the prices cannot be read ({error.strerror or error})"}, ""
    try:
        given = msgspec.json.decode(data)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        return {}, {str(path): f"the prices are not used: not JSON ({error})"}, ""
    if not isinstance(given, dict):
        return {}, {str(path): "the prices are not used: not an object of models"}, ""
    found: dict[str, Rates] = {}
    problems: dict[str, str] = {}
    for model, about in given.items():
        try:
            found[model] = _rates(about)
        except ValueError as error:
            problems[f"{path}: {model}"] = f"this price is not used: {error}"
    return found, problems, data.decode("utf-8", "replace")


def _rates(about: Any) -> Rates:
    if not isinstance(about, dict):
        raise ValueError("not an object")
    known = {*NAMES, "above"}
    if unknown := sorted(set(about) - known):
        raise ValueError(f"unknown field {unknown[0]!r}")
    if "input" not in about or "output" not in about:
        raise ValueError("`input` and `output` are required")
    above = about.get("above", {})
    if not isinstance(above, dict) or not all(isinstance(each, dict) for each in above.values()):
        raise ValueError("`above` is not an object of prices by tokens")
    tiers: list[tuple[int, dict[str, Any]]] = []
    for tokens, prices in above.items():
        if not (tokens.isascii() and tokens.isdigit() and len(tokens) <= MAX_DIGITS):
            raise ValueError(f"not a number of tokens: {tokens[:MAX_DIGITS]!r}")
        tiers.append((int(tokens), prices))
    tiers.sort(key=lambda tier: -tier[0])
    rates = {name: _rate(name, about, tiers) for name in NAMES}
    return msgspec.structs.replace(Rates(), **rates)


def _rate(name: str, about: dict[str, Any], tiers: list[tuple[int, dict[str, Any]]]) -> Rate | None:
    if name not in about:
        return None
    higher = tuple((at, _dollars(name, prices[name])) for at, prices in tiers if name in prices)
    return Rate(_dollars(name, about[name]), higher)


def _dollars(name: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"`{name}` is not a number of dollars")
    if not 0 <= value <= MAX_DOLLARS:
        raise ValueError(f"`{name}` is not between 0 and {MAX_DOLLARS:,} dollars")
    return float(value)
