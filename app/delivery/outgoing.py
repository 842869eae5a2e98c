"""Requests to addresses that somebody typed in: they must never reach what only this server can reach.

A name is resolved once, every address that came out is checked, and the connection goes to one of those very
addresses, while `Host`, SNI and the certificate are those of the name. So a name that resolves differently a moment
later (rebinding) changes nothing. Redirects are not followed, proxies of the environment are not used, the answer is
read up to its status, and all of it ends at one deadline, however slowly the other side drips.
"""

import http.client
import io
import socket
import ssl
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import Any, Self
from urllib.parse import SplitResult, urlsplit

from app.errors import GradproofError

CONNECT_S = 5.0
TOTAL_S = 10.0
LONGEST_URL = 2000
AGENT = "Gradproof"
GLOBAL_V6 = ip_network("2000::/3")
TRANSLATED = ip_network("64:ff9b::/96")  # an IPv4 address in its last 32 bits, where the network translates
NEVER = tuple(
    ip_network(one)
    for one in (
        "192.0.0.0/24",  # of protocols, and the metadata of one cloud; only parts of it count as private in Python
        "168.63.129.16/32",  # metadata of another cloud, behind an address that looks public
        "2001::/23",  # of protocols, with Teredo, which wraps IPv4
        "2002::/16",  # 6to4, which wraps IPv4
    )
)


class UnsafeUrlError(GradproofError):
    """The address may not be called by this server."""

    status = 422
    title = "This address cannot be called"


class UnreachableError(GradproofError):
    """The other side did not answer as HTTP does."""

    status = 502
    title = "No answer"


@dataclass(frozen=True, slots=True)
class Target:
    """Where a URL leads, with its host not yet resolved."""

    encrypted: bool
    host: str
    port: int
    path: str

    @property
    def authority(self) -> str:
        """Return the value of the `Host` header."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == (443 if self.encrypted else 80) else f"{host}:{self.port}"


def read_url(url: str, *, loopback: bool = False) -> Target:
    """Return where a URL leads; `loopback` allows http, and this very machine, for development.

    Raises `UnsafeUrlError` for what can be seen without resolving its name.
    """
    if not url.isascii() or not url.isprintable() or " " in url or len(url) > LONGEST_URL:
        raise UnsafeUrlError("Write the address in at most 2000 ASCII characters without spaces.")
    try:
        parts = urlsplit(url)
        target = Target(parts.scheme == "https", parts.hostname or "", _port(parts), _path(parts))
    except ValueError as error:
        raise UnsafeUrlError(f"The address cannot be read: {error}.") from error
    if parts.scheme != "https" and not (loopback and parts.scheme == "http"):
        raise UnsafeUrlError("The address must start with https://.")
    if not target.host or "%" in target.host:
        raise UnsafeUrlError("The address needs a host, such as https://hooks.example.org/gradproof.")
    if "@" in parts.netloc or parts.fragment:
        raise UnsafeUrlError("The address may hold neither a user nor a # part.")
    try:
        literal = ip_address(target.host)
    except ValueError:
        return target
    _refuse(literal, loopback=loopback)
    return target


def _port(parts: SplitResult) -> int:
    return parts.port or (443 if parts.scheme == "https" else 80)


def _path(parts: SplitResult) -> str:
    return (parts.path or "/") + (f"?{parts.query}" if parts.query else "")


def is_public(address: IPv4Address | IPv6Address) -> bool:
    """Say whether an address belongs to the public internet, and not to this machine, its networks or its cloud."""
    if isinstance(address, IPv6Address):
        if address in TRANSLATED:
            return is_public(IPv4Address(int(address) & 0xFFFFFFFF))
        if address not in GLOBAL_V6:
            return False
    return address.is_global and not address.is_multicast and not any(address in network for network in NEVER)


def _refuse(address: IPv4Address | IPv6Address, *, loopback: bool) -> None:
    if not is_public(address) and not (loopback and address.is_loopback):
        raise UnsafeUrlError("The address leads into a private network, which this server does not call.")


@lru_cache(maxsize=1)
def _trusted() -> ssl.SSLContext:
    return ssl.create_default_context()


@dataclass(frozen=True, slots=True)
class Outgoing:
    """How this server calls others; `loopback` is the setting for development."""

    loopback: bool = False
    trusted: ssl.SSLContext = field(default_factory=_trusted)
    total_s: float = TOTAL_S

    def request(self, method: str, url: str, headers: Mapping[str, str], body: bytes = b"") -> int:
        """Send one request and return the status of its answer; the rest of the answer is not read.

        Raises `UnsafeUrlError` or `UnreachableError`.
        """
        target = read_url(url, loopback=self.loopback)
        try:
            with _Timed.connect(self, target) as connected:
                return _exchange(connected, method, target, headers, body)
        except (OSError, http.client.HTTPException) as error:
            raise UnreachableError(f"No answer: {str(error).strip() or type(error).__name__}") from error


def _exchange(connected: "_Timed", method: str, target: Target, headers: Mapping[str, str], body: bytes) -> int:
    connection = http.client.HTTPConnection(target.host, target.port)
    connection.sock = connected  # it has all that the module asks of a socket
    connection.putrequest(method, target.path, skip_host=True, skip_accept_encoding=True)
    ours = {"Host": target.authority, "User-Agent": AGENT, "Connection": "close", "Content-Length": str(len(body))}
    for name, value in (ours | dict(headers)).items():
        connection.putheader(name, value)
    connection.endheaders(body)
    return connection.getresponse().status


def _addresses(target: Target, *, loopback: bool) -> list[tuple[Any, ...]]:
    """Resolve a name once and return (family, socket address) of each, all of them checked."""
    try:
        found = socket.getaddrinfo(target.host, target.port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise UnreachableError(f"The name {target.host} cannot be resolved.") from error
    for _, _, _, _, where in found:
        _refuse(ip_address(where[0]), loopback=loopback)
    if not target.encrypted and not all(ip_address(where[0]).is_loopback for *_, where in found):
        raise UnsafeUrlError("The address must start with https://.")
    return [(family, where) for family, _, _, _, where in found]


class _Timed:
    """A connected socket whose whole use ends at one deadline: what `http.client` needs of a socket, no more."""

    def __init__(self, connected: socket.socket, deadline: float) -> None:
        self._socket = connected
        self._deadline = deadline

    @classmethod
    def connect(cls, outgoing: Outgoing, target: Target) -> Self:
        """Connect to the first checked address that takes it; TLS speaks to the name, not to the address.

        Raises `OSError` where none does, `UnsafeUrlError` or `UnreachableError`.
        """
        deadline = time.monotonic() + outgoing.total_s
        failed: OSError = TimeoutError("no address answered in time")
        for family, where in _addresses(target, loopback=outgoing.loopback):
            plain = socket.socket(family, socket.SOCK_STREAM)
            try:
                plain.settimeout(max(min(CONNECT_S, deadline - time.monotonic()), 0.01))
                plain.connect(where)
                if not target.encrypted:
                    return cls(plain, deadline)
                return cls(outgoing.trusted.wrap_socket(plain, server_hostname=target.host), deadline)
            except OSError as error:
                failed = error
                plain.close()
        raise failed

    def sendall(self, data: bytes) -> None:
        """Send everything before the deadline."""
        self._hurry()
        self._socket.sendall(data)

    def makefile(self, _mode: str) -> io.BufferedReader:
        """Return a reader that ends at the deadline."""
        return io.BufferedReader(_Reading(self))

    def receive(self, buffer: memoryview) -> int:
        """Read what is there into `buffer`."""
        self._hurry()
        return self._socket.recv_into(buffer)

    def _hurry(self) -> None:
        left = self._deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError("it took too long")
        self._socket.settimeout(left)

    def close(self) -> None:
        """Close the connection."""
        self._socket.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class _Reading(io.RawIOBase):
    def __init__(self, timed: _Timed) -> None:
        self._timed = timed

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        return self._timed.receive(memoryview(buffer))
