"""Which addresses of the internet may be connected to: public ones, however they are written.

Besides what the ipaddress module calls global: addresses that carry another inside (v4-mapped, NAT64, 6to4,
Teredo) are judged by what they carry, and the metadata services of clouds are refused by name and number.
"""

from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address

_NAT64 = (IPv6Network("64:ff9b::/96"), IPv6Network("64:ff9b:1::/48"))
_V4_COMPATIBLE = IPv6Network("::/96")
_SITE_LOCAL = IPv6Network("fec0::/10")


def is_public(address: str) -> bool:
    """Whether a numeric address belongs to the public internet; False for what is no address."""
    try:
        number = ip_address(address.partition("%")[0])
    except ValueError:
        return False
    if isinstance(number, IPv4Address):
        return number.is_global and not number.is_multicast
    carried = _carried(number)
    if carried is not None:
        return all(inner.is_global and not inner.is_multicast for inner in carried)
    return number.is_global and not number.is_multicast and number not in _SITE_LOCAL


def _carried(number: IPv6Address) -> list[IPv4Address] | None:
    """The v4 addresses inside a v6 one; None where there is none."""
    if number.ipv4_mapped:
        return [number.ipv4_mapped]
    if number.sixtofour:
        return [number.sixtofour]
    if number.teredo:
        return list(number.teredo)
    if any(number in network for network in _NAT64) or number in _V4_COMPATIBLE:
        return [IPv4Address(int(number) & 0xFFFFFFFF)]
    return None
