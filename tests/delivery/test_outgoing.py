"""Calls to addresses that somebody typed in: what is refused, where a connection really goes, and when it ends."""

import socket
import threading
import time
from collections.abc import Iterator
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import pytest

from app.delivery.outgoing import Outgoing, UnreachableError, UnsafeUrlError, is_public, read_url
from tests.delivery.certificates import Certified, certify
from tests.delivery.receiver import Receiver, open_receiver


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with open_receiver() as receiver:
        yield receiver


@pytest.fixture
def ends(tmp_path: Path) -> Certified:
    return certify(tmp_path, "hook.example")


class Names:
    """A resolver whose answers change: the first call gets the first list of addresses, and so on."""

    def __init__(self, *answers: list[str]) -> None:
        self.answers = list(answers)
        self.asked: list[str] = []

    def __call__(self, host: str, port: int, *_: object, **__: object) -> list[Any]:
        self.asked.append(host)
        addresses = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        families = [socket.AF_INET6 if ":" in one else socket.AF_INET for one in addresses]
        return [
            (family, socket.SOCK_STREAM, 6, "", (one, port)) for family, one in zip(families, addresses, strict=True)
        ]


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1",
        "127.8.8.8",
        "0.0.0.0",
        "10.1.2.3",
        "172.16.0.1",
        "192.168.1.1",
        "169.254.169.254",
        "100.64.0.1",
        "100.100.100.200",
        "192.0.0.192",
        "168.63.129.16",
        "198.18.0.1",
        "224.0.0.1",
        "239.255.255.250",
        "240.0.0.1",
        "255.255.255.255",
        "::",
        "::1",
        "::127.0.0.1",
        "::ffff:127.0.0.1",
        "::ffff:8.8.8.8",
        "fe80::1",
        "fec0::1",
        "fc00::1",
        "fd00:ec2::254",
        "ff02::1",
        "64:ff9b::7f00:1",
        "64:ff9b::a9fe:a9fe",
        "64:ff9b:1::1",
        "2001::1",
        "2001:db8::1",
        "2002:7f00:1::",
    ],
)
def test_address_that_is_not_public_is_never_called(address: str) -> None:
    assert not is_public(ip_address(address))
    url = f"https://[{address}]/" if ":" in address else f"https://{address}/"
    with pytest.raises(UnsafeUrlError, match="private network"):
        read_url(url)


@pytest.mark.parametrize("address", ["8.8.8.8", "93.184.216.34", "2606:4700::1111", "64:ff9b::808:808"])
def test_address_of_the_internet_is_public(address: str) -> None:
    assert is_public(ip_address(address))


@pytest.mark.parametrize(
    "url",
    [
        "",
        "hooks.example.org",
        "//hooks.example.org/",
        "http://hooks.example.org/",
        "ftp://hooks.example.org/",
        "file:///etc/passwd",
        "https://",
        "https:///path",
        "https://user@hooks.example.org/",
        "https://user:pass@hooks.example.org/",
        "https://hooks.example.org/#part",
        "https://hooks.example.org:port/",
        "https://hooks.example.org:99999/",
        "https://[::1",
        "https://[fe80::1%25eth0]/",
        "https://hooks.example.org/a b",
        "https://hooks.example.org/\r\nX-Evil: 1",
        "https://höoks.example.org/",
        "https://hooks.example.org/" + "x" * 2000,
    ],
)
def test_url_that_is_no_plain_https_address_is_refused(url: str) -> None:
    with pytest.raises(UnsafeUrlError):
        read_url(url)


def test_host_header_names_the_port_only_where_it_is_unusual() -> None:
    assert read_url("https://Hooks.Example.org/a?b=c").authority == "hooks.example.org"
    assert read_url("https://hooks.example.org:8443").authority == "hooks.example.org:8443"
    assert read_url("https://[2606:4700::1111]:444/").authority == "[2606:4700::1111]:444"


@pytest.mark.parametrize("host", ["localhost", "127.1", "2130706433", "0x7f000001"])
def test_name_that_leads_to_this_machine_is_refused_without_a_connection(receiver: Receiver, host: str) -> None:
    with pytest.raises((UnsafeUrlError, UnreachableError)):
        Outgoing().request("POST", f"https://{host}:{receiver.port}/", {})
    assert receiver.received == []


def test_one_private_address_among_public_ones_refuses_them_all(monkeypatch: pytest.MonkeyPatch) -> None:
    connected: list[object] = []
    monkeypatch.setattr(socket, "getaddrinfo", Names(["93.184.216.34", "10.0.0.5"]))
    monkeypatch.setattr(socket.socket, "connect", lambda *args: connected.append(args))
    with pytest.raises(UnsafeUrlError, match="private network"):
        Outgoing().request("POST", "https://hook.example/", {})
    assert connected == []


def test_name_is_resolved_once_and_host_sni_and_certificate_are_its_own(
    ends: Certified, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second answer would lead elsewhere: that is what rebinding does between a check and a connection."""
    names = Names(["127.0.0.1"], ["127.0.0.2"])
    monkeypatch.setattr(socket, "getaddrinfo", names)
    with open_receiver(ends.server) as receiver:
        outgoing = Outgoing(loopback=True, trusted=ends.client)
        status = outgoing.request("POST", f"https://hook.example:{receiver.port}/in?x=1", {"X-One": "1"}, b"body")
        (received,) = receiver.received
    assert (status, names.asked) == (204, ["hook.example"])
    assert (received.method, received.path, received.body) == ("POST", "/in?x=1", b"body")
    assert received.headers["host"] == f"hook.example:{receiver.port}"
    assert received.headers["x-one"] == "1"
    assert received.server_name == "hook.example"


def test_certificate_of_another_name_is_refused(ends: Certified, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket, "getaddrinfo", Names(["127.0.0.1"]))
    with open_receiver(ends.server) as receiver:
        with pytest.raises(UnreachableError, match="CERTIFICATE_VERIFY_FAILED"):
            Outgoing(loopback=True, trusted=ends.client).request("POST", f"https://other.example:{receiver.port}/", {})
        assert receiver.received == []


def test_certificate_of_nobody_is_refused(ends: Certified, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket, "getaddrinfo", Names(["127.0.0.1"]))
    with open_receiver(ends.server) as receiver:
        with pytest.raises(UnreachableError, match="CERTIFICATE_VERIFY_FAILED"):
            Outgoing(loopback=True).request("POST", f"https://hook.example:{receiver.port}/", {})
        assert receiver.received == []


def test_next_address_is_tried_where_the_first_takes_no_connection(
    receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(socket, "getaddrinfo", Names(["127.0.0.2", "127.0.0.1"]))
    assert Outgoing(loopback=True).request("POST", f"http://hook.example:{receiver.port}/", {}) == 204


def test_http_in_development_goes_to_this_machine_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket, "getaddrinfo", Names(["93.184.216.34"]))
    with pytest.raises(UnsafeUrlError, match="https"):
        Outgoing(loopback=True).request("POST", "http://hook.example/", {})
    monkeypatch.setattr(socket, "getaddrinfo", Names(["10.0.0.5"]))
    with pytest.raises(UnsafeUrlError, match="private network"):
        Outgoing(loopback=True).request("POST", "https://hook.example/", {})


def test_redirect_is_not_followed(receiver: Receiver) -> None:
    receiver.statuses = [302]
    assert Outgoing(loopback=True).request("PATCH", f"http://127.0.0.1:{receiver.port}/a", {}) == 302
    assert [one.path for one in receiver.received] == ["/a"]


def test_proxy_of_the_environment_is_not_used(receiver: Receiver, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    assert Outgoing(loopback=True).request("POST", f"http://127.0.0.1:{receiver.port}/", {}) == 204


def test_answer_that_drips_ends_at_the_deadline(receiver: Receiver) -> None:
    receiver.drip = True
    began = time.monotonic()
    with pytest.raises(UnreachableError):
        Outgoing(loopback=True, total_s=0.5).request("POST", f"http://127.0.0.1:{receiver.port}/", {})
    assert 0.4 < time.monotonic() - began < 2


def test_body_without_an_end_is_not_read(receiver: Receiver) -> None:
    receiver.flood = True
    receiver.statuses = [200]
    began = time.monotonic()
    assert Outgoing(loopback=True).request("POST", f"http://127.0.0.1:{receiver.port}/", {}) == 200
    assert time.monotonic() - began < 2


def test_what_is_no_http_is_no_answer() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(5)

        def talk() -> None:
            connection, _ = server.accept()
            with connection:
                connection.sendall(b"220 mail.example.org ESMTP\r\n")
                connection.recv(4096)

        thread = threading.Thread(target=talk)
        thread.start()
        with pytest.raises(UnreachableError, match="No answer"):
            Outgoing(loopback=True).request("POST", f"http://127.0.0.1:{server.getsockname()[1]}/", {})
        thread.join()


def test_name_that_is_not_there_is_no_answer() -> None:
    with pytest.raises(UnreachableError, match=r"nowhere\.invalid cannot be resolved"):
        Outgoing().request("POST", "https://nowhere.invalid/", {})


@pytest.mark.parametrize("value", ["a\r\nX-Evil: 1", "a\nb"])
def test_header_cannot_be_smuggled(receiver: Receiver, value: str) -> None:
    with pytest.raises(ValueError, match="Invalid header value"):
        Outgoing(loopback=True).request("POST", f"http://127.0.0.1:{receiver.port}/", {"X-One": value})
    assert receiver.received == []
