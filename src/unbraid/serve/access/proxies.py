"""What a proxy in front says about the caller: believed only from proxies that are trusted.

A proxy on this machine is believed about the scheme: all that can be won by a lie is a cookie that
the liar's own browser sends over TLS only. About the caller's address, by which tries to sign in
are counted, only proxies that the configuration names are believed.
"""

from __future__ import annotations

import ipaddress

from starlette.requests import Request

from unbraid.serve.config import ServeConfig, is_loopback
from unbraid.serve.services import services_of


def is_secure(request: Request) -> bool:
    """Returns whether the browser came over TLS, to us or to a proxy in front."""
    if request.url.scheme == "https":
        return True
    peer = _peer(request)
    trusted = is_loopback(peer) or _named(services_of(request).config, peer)
    return trusted and request.headers.get("x-forwarded-proto", "").lower() == "https"


def address_of(request: Request) -> str:
    """Returns the address of the caller, behind proxies that are named in the configuration."""
    config, address = services_of(request).config, _peer(request)
    hops = ",".join(request.headers.getlist("x-forwarded-for")).split(",")
    # Each proxy adds the address that it was called from; what stands further left may be made up.
    while hops and _named(config, address):
        hop = hops.pop().strip()
        address = hop or address
    return address


def _peer(request: Request) -> str:
    return "" if request.client is None else request.client.host


def _named(config: ServeConfig, address: str) -> bool:
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return False
    return any(found in ipaddress.ip_network(proxy, strict=False) for proxy in config.proxies)
