"""A real HTTP server for tests: it keeps every request, and answers as it is told."""

import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass(frozen=True)
class Received:
    """One request as it arrived. `server_name` is what TLS asked for."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes
    server_name: str | None


@dataclass
class Receiver:
    """Where requests arrive. `statuses` are the answers in order, then 204; `drip` sends a header for ever."""

    port: int
    received: list[Received] = field(default_factory=list)
    statuses: list[int] = field(default_factory=list)
    drip: bool = False
    flood: bool = False  # a body without an end
    server_names: list[str | None] = field(default_factory=list)
    stopping: threading.Event = field(default_factory=threading.Event)


@contextmanager
def open_receiver(tls: ssl.SSLContext | None = None, host: str = "127.0.0.1") -> Iterator[Receiver]:
    """Run the server at a free port until the block ends."""
    server = ThreadingHTTPServer((host, 0), BaseHTTPRequestHandler)
    receiver = Receiver(server.server_address[1])

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def answer(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length", "0")))
            name = receiver.server_names[-1] if receiver.server_names else None
            headers = {key.lower(): value for key, value in self.headers.items()}
            receiver.received.append(Received(self.command, self.path, headers, body, name))
            if receiver.drip:
                self.wfile.write(b"HTTP/1.1 200 OK\r\nX-Slow: ")
            while receiver.drip and not receiver.stopping.wait(0.05):
                self.wfile.write(b"x")
            self.send_response(receiver.statuses.pop(0) if receiver.statuses else 204)
            self.send_header("Location", f"http://127.0.0.1:{receiver.port}/elsewhere")
            self.end_headers()
            while receiver.flood and not receiver.stopping.is_set():
                self.wfile.write(b"x" * 65536)

        do_POST = do_PATCH = do_GET = answer  # noqa: N815 - names of http.server

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    def keep_name(_socket: object, name: str | None, _context: object) -> None:
        receiver.server_names.append(name)

    server.RequestHandlerClass = Handler
    server.daemon_threads = True
    server.handle_error = lambda *_: None  # type: ignore[method-assign]  # a client that hangs up is expected here
    if tls is not None:
        tls.sni_callback = keep_name
        server.socket = tls.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield receiver
    finally:
        receiver.stopping.set()
        server.shutdown()
        thread.join()
        server.server_close()
