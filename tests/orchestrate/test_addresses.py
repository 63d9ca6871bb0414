"""Which addresses a page may come from, against the registries of special addresses."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address, ip_network

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unbraid.orchestrate.addresses import is_permitted, networks

# IANA's special-purpose registries and the reserved and multicast spaces, as their RFCs have them;
# and a cloud's own services, which stand behind an address of the public kind.
SPECIAL_4 = """
    0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24
    192.0.2.0/24 192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24
    224.0.0.0/4 240.0.0.0/4 168.63.129.16/32
""".split()
SPECIAL_6 = """
    ::/128 ::1/128 ::/96 64:ff9b:1::/48 100::/64 2001::/32 2001:2::/48 2001:10::/28 2001:db8::/32
    2002::/16 3fff::/20 5f00::/16 fc00::/7 fe80::/10 fec0::/10 ff00::/8
""".split()

special_4 = st.sampled_from(SPECIAL_4).flatmap(lambda each: st.ip_addresses(network=each))
special_6 = st.sampled_from(SPECIAL_6).flatmap(lambda each: st.ip_addresses(network=each))


@given(special_4)
def test_no_special_address_is_permitted(address: IPv4Address) -> None:
    assert not is_permitted(str(address))


@given(special_6)
def test_no_special_address_of_the_new_kind_is_permitted(address: IPv6Address) -> None:
    assert not is_permitted(str(address))


@given(special_4, st.sampled_from(["::ffff:0:0", "64:ff9b::", "::", "2002::"]))
def test_no_special_address_is_permitted_inside_another(address: IPv4Address, shell: str) -> None:
    shift = 80 if shell == "2002::" else 0
    hidden = IPv6Address(int(IPv6Address(shell)) | int(address) << shift)
    assert not is_permitted(str(hidden))


@given(st.ip_addresses(v=4))
def test_every_other_address_is_permitted(address: IPv4Address) -> None:
    special = any(address in ip_network(each) for each in SPECIAL_4)
    assert is_permitted(str(address)) is not special
    assert is_permitted(f"::ffff:{address}") is not special


@given(st.ip_addresses(network="2606:4700::/32"))
def test_public_addresses_of_the_new_kind_are_permitted(address: IPv6Address) -> None:
    assert is_permitted(str(address))


@given(st.ip_addresses())
def test_what_is_allowed_is_permitted(address: IPv4Address | IPv6Address) -> None:
    assert is_permitted(str(address), networks([str(address)]))


def test_allowing_one_network_allows_no_other() -> None:
    allowed = networks(["127.0.0.0/8", "10.1.2.3"])
    assert is_permitted("127.0.0.1", allowed)
    assert is_permitted("::ffff:127.0.0.1", allowed)
    assert is_permitted("10.1.2.3", allowed)
    assert not is_permitted("10.1.2.4", allowed)
    assert not is_permitted("::1", allowed)


@given(st.text())
def test_what_is_no_address_is_not_permitted(text: str) -> None:
    if not any(character.isdigit() or character == ":" for character in text):
        assert not is_permitted(text)


@pytest.mark.parametrize("written", ["127.0.0.1", "169.254.169.254", "fe80::1%eth0", "::1"])
def test_the_places_that_attackers_ask_for(written: str) -> None:
    assert not is_permitted(written)
