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

import msgspec
from msgspec import Struct, field

from unbraid.events.codec import json_decoder
from unbraid.fold.prices import PriceList, Prices
from unbraid.system.atomic_file import write_atomically
from unbraid.system.home import data_folder
from unbraid.system.prices.loader import own_prices
from unbraid.system.prices.snapshot import BUNDLED, PACKAGE, snapshot


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
    installed = _installed_version()
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
def _installed_version() -> str | None:
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
