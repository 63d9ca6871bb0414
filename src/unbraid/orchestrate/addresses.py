"""Which addresses a page may be fetched from: by default those that the whole internet can reach.

An agent that can be talked into fetching is a way into the network it runs in: the machine itself,
its neighbours, a cloud's metadata service. Names prove nothing, so this looks at the address that
will be connected to, and at every IPv4 address hidden inside an IPv6 one.
"""

from __future__ import annotations

from collections.abc import Iterable
from ipaddress import (
    IPv4Address,
    IPv4Network,
    IPv6Address,
    IPv6Network,
    ip_address,
    ip_network,
)

Network = IPv4Network | IPv6Network

_GLOBAL_UNICAST = IPv6Network("2000::/3")
_NAT64 = IPv6Network("64:ff9b::/96")
# Reachable by no rule of the registry's, yet not all of them private to every version of Python.
_SPECIAL = tuple(
    map(
        ip_network,
        (
            "192.0.0.0/24",  # protocol assignments
            "168.63.129.16/32",  # Azure's own services, for each machine in it
            "192.88.99.0/24",  # 6to4 relays
            "2001::/23",  # protocol assignments, Teredo among them
            "2001:db8::/32",  # documentation
            "2002::/16",  # 6to4: an IPv4 address in disguise
            "3fff::/20",  # documentation
        ),
    )
)


def networks(written: Iterable[str]) -> tuple[Network, ...]:
    """Returns networks that a person has written; a single address is a network, too."""
    return tuple(ip_network(each, strict=False) for each in written)


def is_permitted(written: str, allowed: tuple[Network, ...] = ()) -> bool:
    """Returns whether to connect to an address, as the resolver wrote it."""
    try:
        address = ip_address(written)
    except ValueError:
        return False
    meant = _plain(address)
    return _public(meant) or any(address in each or meant in each for each in allowed)


def _plain(address: IPv4Address | IPv6Address) -> IPv4Address | IPv6Address:
    """Returns the address that is really meant: the kernel connects a mapped one over IPv4."""
    if isinstance(address, IPv6Address):
        if address.ipv4_mapped is not None:
            return address.ipv4_mapped
        if address in _NAT64:
            return IPv4Address(int(address) & 0xFFFFFFFF)
    return address


def _public(address: IPv4Address | IPv6Address) -> bool:
    if any(address in network for network in _SPECIAL):
        return False
    if isinstance(address, IPv6Address) and address not in _GLOBAL_UNICAST:
        return False
    return address.is_global and not address.is_multicast and not address.is_reserved
