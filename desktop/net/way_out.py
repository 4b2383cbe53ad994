"""The one way out: every HTTP client of the program is made here.

The environment names proxies and certificates (HTTP_PROXY, HTTPS_PROXY, ALL_PROXY, NO_PROXY,
SSL_CERT_FILE, SSL_CERT_DIR). The libraries read it when a client is made and fail with errors of their own,
for requests too that need none of it. Here it is read for each request: a server on this machine is never
behind a proxy, and a wrong variable is named, to the requests alone that need it.
"""

import ipaddress
import os
import re
import ssl
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import urlsplit

from desktop.errors import AppError
from desktop.tasks import in_thread
from desktop.text import _

_KINDS = {"http": 80, "https": 443, "socks5": 1080, "socks5h": 1080}
"""The kinds of proxy that can be used, and the usual port of each."""
_SAME = {"socks": "socks5h"}
"""What GNOME calls them in the variables that it sets."""
_PROXIES = ("http_proxy", "https_proxy", "all_proxy")
_LOCAL = "localhost,127.0.0.1,::1"
_MOST, _MOST_IDLE = 100, 20
"""Connections of one client; without a limit, each that was ever needed at once would stay."""


class _Environment:
    """The variables as they were when the program began."""

    now: ClassVar[Mapping[str, str]] = os.environ


class WrongVariable(AppError):
    """A variable of the environment that cannot be followed."""

    def __init__(self, variable: str, fault: str, value: str) -> None:
        """`fault`: kind, address, missing or unreadable."""
        self.variable, self.fault = variable, fault
        self.value = re.sub(r"//[^/@]*@", "//", value)
        super().__init__(*_told(variable, fault, self.value))


def _told(variable: str, fault: str, value: str) -> tuple[str, str]:
    texts = {
        "kind": _("{variable} is set to a kind of proxy this program can’t use: {value}"),
        "address": _("{variable} is not a valid proxy address: {value}"),
        "missing": _("{variable} points to certificates that don’t exist: {value}"),
        "unreadable": _("{variable} points to a file without certificates: {value}"),
    }
    if fault in ("kind", "address"):
        remedy = _(
            "Set it to an address like http://proxy.example:8080 or socks5://127.0.0.1:1080, or remove "
            "it, then restart the program."
        )
    else:
        remedy = _("Set it to a certificate file in PEM format, or remove it, then restart the program.")
    return texts[fault].format(variable=variable, value=value), remedy


def proxy_for(url: str, environ: Mapping[str, str] | None = None) -> str:
    """The proxy that the environment names for an address, "" for none. Raises WrongVariable."""
    environ = _Environment.now if environ is None else environ
    parts = urlsplit(url)
    host = (parts.hostname or "").rstrip(".")
    if is_local(host) or _excepted(host, parts.port or _KINDS.get(parts.scheme), environ):
        return ""
    for name in (f"{parts.scheme}_proxy", "all_proxy"):
        variable, value = _variable(name, environ)
        if value:
            return checked_proxy(variable, value)
    if any(_variable(name, environ)[0] for name in _PROXIES):
        return ""
    return _of_system(parts.scheme, host)


def proxy_variable(url: str) -> str:
    """The variable that names the proxy for an address, "" where it is not one of the environment."""
    for name in (f"{urlsplit(url).scheme}_proxy", "all_proxy"):
        variable, value = _variable(name, _Environment.now)
        if value:
            return variable
    return ""


def is_local(host: str) -> bool:
    """Whether a host is this machine itself."""
    host = host.lower().strip("[]").rstrip(".")
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return False
    mapped = getattr(address, "ipv4_mapped", None) or address
    return bool(mapped.is_loopback or mapped.is_unspecified)


def checked_proxy(variable: str, value: str) -> str:
    """The address of a proxy in the form that the libraries take. Raises WrongVariable."""
    whole = value.strip()
    whole = whole if "://" in whole else f"http://{whole}"
    try:
        parts = urlsplit(whole)
        scheme, host, port = parts.scheme.lower(), parts.hostname or "", parts.port
    except ValueError:
        raise WrongVariable(variable, "address", value) from None
    scheme = _SAME.get(scheme, scheme)
    if scheme not in _KINDS:
        raise WrongVariable(variable, "kind", value)
    if not host or re.search(r"[\s\"'<>]", host) or port == 0:
        raise WrongVariable(variable, "address", value)
    login = f"{parts.netloc.rpartition('@')[0]}@" if "@" in parts.netloc else ""
    place = f"[{host}]" if ":" in host else host
    return f"{scheme}://{login}{place}:{port or _KINDS[scheme]}"


def faults(environ: Mapping[str, str] | None = None) -> list[WrongVariable]:
    """The variables that cannot be followed (blocking: it looks at the certificates)."""
    environ = _Environment.now if environ is None else environ
    found = []
    for name in _PROXIES:
        variable, value = _variable(name, environ)
        try:
            if value:
                checked_proxy(variable, value)
        except WrongVariable as fault:
            found.append(fault)
    try:
        certificates(environ)
    except WrongVariable as fault:
        found.append(fault)
    return found


def named() -> list[str]:
    """The variables that have a say, by their names: their values may hold a password."""
    found = [_variable(name, _Environment.now) for name in (*_PROXIES, "no_proxy")]
    certificates_by = [name for name in ("SSL_CERT_FILE", "SSL_CERT_DIR") if _Environment.now.get(name)]
    return [*(variable for variable, value in found if value), *certificates_by]


def tidy() -> None:
    """Make the environment of this process one that no library stumbles over: what cannot be followed is
    taken out, what is meant is written as libraries take it. Here all of it stays known as it was."""
    _Environment.now = dict(os.environ)
    for name in _PROXIES:
        variable, value = _variable(name, os.environ)
        if not value:
            continue
        try:
            os.environ[variable] = checked_proxy(variable, value)
        except WrongVariable:
            del os.environ[variable]
    try:
        certificates(os.environ)
    except WrongVariable as fault:
        del os.environ[fault.variable]
    given = _variable("no_proxy", os.environ)[1]
    os.environ["no_proxy"] = os.environ["NO_PROXY"] = f"{given},{_LOCAL}".lstrip(",")


def certificates(environ: Mapping[str, str] | None = None) -> ssl.SSLContext:
    """Whom to believe that they are who they say (blocking): the certificates that the environment names,
    else those of the system and those that came with the program. Raises WrongVariable."""
    environ = _Environment.now if environ is None else environ
    file, folders = environ.get("SSL_CERT_FILE", ""), environ.get("SSL_CERT_DIR", "")
    if file and not Path(file).is_file():
        raise WrongVariable("SSL_CERT_FILE", "missing", file)
    there = [folder for folder in folders.split(os.pathsep) if folder and Path(folder).is_dir()]
    if folders and not there:
        raise WrongVariable("SSL_CERT_DIR", "missing", folders)
    if not file and not there:
        import certifi

        context = ssl.create_default_context()
        context.load_verify_locations(certifi.where())
        return context
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    try:
        if file:
            context.load_verify_locations(cafile=file)
        for folder in there:
            context.load_verify_locations(capath=folder)
    except OSError:  # ssl.SSLError is one
        raise WrongVariable("SSL_CERT_FILE", "unreadable", file) from None
    return context


def _variable(name: str, environ: Mapping[str, str]) -> tuple[str, str]:
    """A variable as it is spelled and its value: the small letters win, as they do in curl."""
    for spelled in (name, name.upper()):
        if spelled in environ:
            return spelled, environ[spelled].strip()
    return "", ""


def _excepted(host: str, port: int | None, environ: Mapping[str, str]) -> bool:
    """Whether NO_PROXY names a host: by its name, a domain above it, a network, each maybe with a port."""
    for entry in re.split(r"[\s,]+", _variable("no_proxy", environ)[1].lower()):
        if entry == "*":
            return True
        name = entry.partition("://")[2] or entry
        if match := re.fullmatch(r"(\[[^\]]*\]|[^:]*):(\d+)", name):
            name = match[1]
            if int(match[2]) != port:
                continue
        name = name.strip("[]").removeprefix("*").strip(".")
        if name and (host == name or host.endswith(f".{name}") or _in_network(host, name)):
            return True
    return False


def _in_network(host: str, network: str) -> bool:
    try:
        return ipaddress.ip_address(host) in ipaddress.ip_network(network, strict=False)
    except ValueError:
        return False


def _of_system(scheme: str, host: str) -> str:
    """The proxy of the system's settings, where a system has such."""
    if sys.platform not in ("win32", "darwin"):
        return ""
    from urllib.request import getproxies, proxy_bypass

    named = getproxies()
    value = named.get(scheme) or named.get("all") or ""
    return checked_proxy(_("the system’s settings"), value) if value and not proxy_bypass(host) else ""


async def check(url: str) -> None:
    """Whether there is a way to an address, for libraries that keep the reason to themselves. Raises
    WrongVariable."""
    proxy_for(url)
    if url.lower().startswith("https:"):
        await in_thread(certificates)


class Ways:
    """A transport of httpx or httpx2 that takes for each request the way that it has to go."""

    def __init__(self, library: Any, named: Callable[[], str] = str, limits: Any = None) -> None:
        """`named`: the proxy that the person named for the request that is being made, "" for none."""
        self._library, self._named = library, named
        self._limits = limits or library.Limits(max_connections=_MOST, max_keepalive_connections=_MOST_IDLE)
        self._open: dict[tuple[str, bool], Any] = {}
        self._tls: ssl.SSLContext | None = None

    async def handle_async_request(self, request: Any) -> Any:
        """Send a request on. Raises WrongVariable, and what the library does."""
        url = request.url
        named = self._named()
        proxy = checked_proxy(_("The proxy in the settings"), named) if named else proxy_for(str(url))
        key = (proxy, url.scheme == "https")
        if key not in self._open:
            guarded = proxy.startswith("https:")
            tls = await self._context() if key[1] or guarded else _empty()
            made = self._library.AsyncHTTPTransport(
                verify=tls,
                proxy=self._library.Proxy(proxy, ssl_context=tls if guarded else None) if proxy else None,
                limits=self._limits,
                trust_env=False,
            )
            self._open.setdefault(key, made)
        return await self._open[key].handle_async_request(request)

    async def _context(self) -> ssl.SSLContext:
        if self._tls is None:
            self._tls = await in_thread(certificates)
        return self._tls

    async def aclose(self) -> None:
        """Close all connections."""
        for way in list(self._open.values()):
            await way.aclose()

    async def __aenter__(self) -> "Ways":
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()


def _empty() -> ssl.SSLContext:
    """For ways without TLS: loading real certificates would take longer than a question to this machine."""
    return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


def client(library: Any, *, transport: Any = None, **options: Any) -> Any:
    """An AsyncClient of httpx or httpx2. `transport`: another way out that is built on Ways."""
    return library.AsyncClient(transport=transport or Ways(library), trust_env=False, **options)


async def session(url: str, named: str = "", **options: Any) -> tuple[Any, str | None]:
    """A session of aiohttp for a server, and the proxy to name with each of its requests; None for none, or
    for one that the session knows by itself. `named`: the proxy that the person chose, which may hold a
    password; `options`: more of aiohttp's. Raises WrongVariable."""
    import aiohttp

    proxy = named or proxy_for(url)
    tls = await in_thread(certificates)
    if proxy.startswith("socks"):
        from aiohttp_socks import ProxyConnector

        return aiohttp.ClientSession(connector=ProxyConnector.from_url(proxy, ssl=tls), **options), None
    return aiohttp.ClientSession(connector=aiohttp.TCPConnector(ssl=tls), **options), proxy or None
