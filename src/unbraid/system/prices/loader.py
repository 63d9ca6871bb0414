"""The prices that hold here: a person's own, then those of `genai-prices`, as they come with this
package or from a newer release of it that is installed.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct, field

from unbraid.events.codec import json_decoder
from unbraid.fold.prices import PriceList, Prices, Rate, Rates
from unbraid.system.atomic_file import write_atomically
from unbraid.system.files import read_small
from unbraid.system.home import data_folder
from unbraid.system.prices.snapshot import BUNDLED, PACKAGE, snapshot

# A person's own prices: a JSON file, in dollars for a million tokens.
#
#     {
#       "my-model": {"input": 3, "output": 15, "cache_read": 0.3, "cache_write": 3.75},
#       "long-model": {"input": 1, "output": 4, "above": {"200000": {"input": 2, "output": 6}}}
#     }
#
# `above` has the prices of messages with more input than that. What is wrong in the file is
# reported, and everything else in it counts.

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


class LoadedPrices(Struct):
    """Prices, what is wrong in a person's own, and a digest that changes whenever they do."""

    prices: Prices
    problems: dict[str, str] = field(default_factory=dict)
    digest: str = ""


def load_prices(env: Mapping[str, str] = os.environ) -> LoadedPrices:
    """Returns the prices that hold here. Never raises: where a file is
    wrong, the others count.
    """
    own, problems, text = own_prices(env)
    listed = _bundled()
    installed = installed_version()
    if installed is not None and _number(installed) > _number(listed.version):
        listed = _newer(installed, data_folder(env)) or listed
    # A collision of prices helps no attacker: a checksum is enough, and hashlib would be the
    # slowest import of `unbraid cost`.
    digest = f"{listed.version} {len(text)} {zlib.crc32(text.encode()):08x}"
    return LoadedPrices(Prices(listed, own), problems, digest)


@cache
def _bundled() -> PriceList:
    return json_decoder(PriceList).decode(BUNDLED.read_bytes())


@cache
def installed_version() -> str | None:
    """Returns the version of `genai-prices` by the names in its folder: importing what reads
    package metadata takes longer than all the rest.
    """
    name = PACKAGE.replace("-", "_")
    spec = find_spec(name)
    if spec is None or spec.origin is None:
        return None
    for path in Path(spec.origin).parent.parent.glob(f"{name}-*.dist-info"):
        return path.name.removeprefix(f"{name}-").removesuffix(".dist-info")
    return None


def _newer(version: str, folder: Path) -> PriceList | None:
    """Returns the prices of an installed release, which are extracted from it once."""
    kept = folder / f"prices-{version}.json"
    try:
        return json_decoder(PriceList).decode(kept.read_bytes())
    except (OSError, msgspec.MsgspecError):
        pass
    try:
        taken = snapshot()
    except Exception:  # the inside of another package, in an unknown release
        return None
    with suppress(OSError):  # without the file, the next start takes longer
        write_atomically(kept, msgspec.json.encode(taken), durable=False, private_folder=True)
    return taken


def _number(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".") if part.isdigit())
