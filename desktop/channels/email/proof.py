"""Whether a mail is of whom it says: anybody can write any sender, so the receiving server has to vouch.

It says so in Authentication-Results (RFC 8601), which it puts on top. Those further down came with the mail
and prove nothing; nor does one of a server that the settings don't name.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum

from desktop.config.channels.email import Email as Settings

_METHOD = re.compile(r"^\s*([a-z0-9-]+)\s*=\s*([a-z]+)", re.IGNORECASE)
_PROPERTY = re.compile(r"\b((?:header|smtp)\.[a-z]+)\s*=\s*(\"[^\"]*\"\S*|[^\s;]+)", re.IGNORECASE)


class Proof(Enum):
    """What is known of a sender."""

    PROVED = "proved"
    FAILED = "failed"
    """The server says that it is somebody else's, or not that it is theirs."""
    MISSING = "missing"
    """No server that counts says anything."""


@dataclass(frozen=True, slots=True)
class _Result:
    method: str
    passed: bool
    properties: dict[str, str]


def proof(results: Iterable[str], domain: str, settings: Settings, vouches: tuple[str, ...]) -> Proof:
    """What the headers say of a sender of this domain. `results`: the raw Authentication-Results, the
    topmost first; `vouches`: the servers that count."""
    if not (settings.verify_dkim or settings.verify_spf):
        return Proof.PROVED
    topmost = next(iter(results), "")
    server, found = read(topmost)
    if not trusted(server, vouches):
        return Proof.MISSING
    by_policy = [one for one in found if one.method == "dmarc"]
    if by_policy:
        first = by_policy[0]
        sure = len(by_policy) == 1 and first.passed
        if not sure:
            return Proof.FAILED
        if first.properties.get("header.from", "").lower() == domain:
            return Proof.PROVED
    proved = any(_proves(one, domain, settings) for one in found)
    return Proof.PROVED if proved else Proof.FAILED


def trusted(server: str, vouches: tuple[str, ...]) -> bool:
    """Whether a server counts. A name that begins with a dot stands for all that end so."""
    named = f".{server.lower()}"
    return bool(server) and any(
        named.endswith(one.lower()) if one.startswith(".") else named == f".{one.lower()}"
        for one in vouches
    )


def read(header: str) -> tuple[str, list[_Result]]:
    """The server that speaks, empty where it can't be told, and what it found."""
    plain = _without_comments(" ".join(header.split()))
    first, *rest = _parts(plain) if plain else [""]
    server = first.split()[0] if first.split() else ""
    if not server or "=" in server:
        return "", []
    return server, list(_results(rest))


def _results(parts: Iterable[str]) -> Iterator[_Result]:
    for part in parts:
        if method := _METHOD.match(part):
            rest = part[method.end() :]
            properties = {name.lower(): value for name, value in _PROPERTY.findall(rest)}
            yield _Result(method[1].lower(), method[2].lower() == "pass", properties)


def _proves(result: _Result, domain: str, settings: Settings) -> bool:
    """Whether it passed, for this domain or one that this is a part of."""
    if not result.passed:
        return False
    if result.method == "dkim" and settings.verify_dkim:
        said = result.properties.get("header.d") or result.properties.get("header.i", "")
    elif result.method == "spf" and settings.verify_spf:
        said = result.properties.get("smtp.mailfrom", "")
    else:
        return False
    other = said.rpartition("@")[2].strip('"').rstrip(".").lower()
    return "." in other and (domain == other or domain.endswith(f".{other}"))


def _without_comments(text: str) -> str:
    """Empty where comments and quotes are so mixed that one could hide the other's end: senders choose
    what stands in them."""
    kept: list[str] = []
    depth, quoted, skip = 0, False, False
    for letter in text:
        if skip:
            skip = False
        elif letter == "\\":
            skip = True
        elif depth and letter == '"':
            return ""
        elif letter == '"':
            quoted = not quoted
        elif not quoted and letter == "(":
            depth += 1
        elif not quoted and letter == ")":
            depth = max(0, depth - 1)
            continue
        if not depth:
            kept.append(letter)
    return "" if depth or quoted else "".join(kept)


def _parts(text: str) -> list[str]:
    """Between semicolons outside of quotes."""
    return [part.strip() for part in re.findall(r'((?:[^;"]|"[^"]*")+)', text)]
