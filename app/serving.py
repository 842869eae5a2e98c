"""`gradproof serve`: one web process, and the sandbox service it starts, supervises and stops."""

import io
import ipaddress
import signal
import socket
import sys
from contextlib import nullcontext, suppress
from typing import TextIO, cast

import structlog
import uvicorn

from app.errors import GradproofError
from app.main import create_app, prepare
from app.sandbox.supervisor import Supervisor
from app.settings import Settings
from app.tokens import SHORTEST_KEY

log = structlog.get_logger()

DRAIN_SECONDS = 10


def serve(settings: Settings) -> None:
    """Answer until a signal says stop; requests in flight are answered first.

    Raises `GradproofError` for a public address with a generated key, or an address that cannot be taken.
    """
    _configure_log(settings)
    if not _is_loopback(settings.host) and not settings.secret_key.get_secret_value():
        raise GradproofError(
            f"{settings.host} can be reached from elsewhere, and the signing key is a generated one. Set "
            "GRADPROOF_SECRET_KEY (for example to the output of `openssl rand -hex 32`), or listen on 127.0.0.1."
        )
    if not _is_loopback(settings.host) and len(settings.secret_key.get_secret_value()) < SHORTEST_KEY:
        raise GradproofError(
            f"GRADPROOF_SECRET_KEY has fewer than {SHORTEST_KEY} characters, so it could be guessed. Use a random one, "
            "for example the output of `openssl rand -hex 32`."
        )
    prepare(settings)  # what keeps the site from starting is said now, as a sentence
    listener = listen(settings.host, settings.port)
    config = uvicorn.Config(
        create_app(settings),
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=bool(settings.trusted_proxies),
        forwarded_allow_ips=settings.trusted_proxies or None,
        timeout_graceful_shutdown=DRAIN_SECONDS,
    )
    for number in (signal.SIGINT, signal.SIGTERM):
        # Uvicorn drains, then raises the signal again: ending by `SystemExit` lets the sandbox be stopped as well.
        signal.signal(number, lambda *_: sys.exit(0))
    with nullcontext() if settings.sandbox else Supervisor(settings.sandbox_socket):
        _Server(config, listener).run(sockets=[listener])


class _Server(uvicorn.Server):
    """Uvicorn, saying where it answers once it does."""

    def __init__(self, config: uvicorn.Config, listener: socket.socket) -> None:
        super().__init__(config)
        self._listener = listener

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, then print the address."""
        await super().startup(sockets)
        if self.started:
            host, port = self._listener.getsockname()[:2]
            shown = f"[{host}]" if ":" in host else host
            print(f"Gradproof answers at http://{shown}:{port} (Ctrl+C stops it)", flush=True)


def listen(host: str, port: int) -> socket.socket:
    """Return a listening socket whose connections send at once; raises `GradproofError` where it cannot be had."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listener = socket.create_server((host, port), family=family, backlog=1024)
    except (OSError, OverflowError) as error:
        raise GradproofError(
            f"{host}:{port} cannot be listened on: {error}. Choose another with --port, or 0 for a free one."
        ) from error
    # Connections inherit it. Without it a page's last bytes wait 40 ms for the acknowledgement of its first; asyncio
    # sets it on sockets that name their protocol only, which those of `create_server` do not.
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listener


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _configure_log(settings: Settings) -> None:
    renderer = (
        structlog.processors.JSONRenderer()
        if settings.log_format == "json"
        else structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty())
    )
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            cast("structlog.types.Processor", renderer),
        ],
        logger_factory=structlog.PrintLoggerFactory(cast("TextIO", _Unfailing(sys.stderr))),
    )


class _Unfailing(io.TextIOBase):
    """A stream for the log: a line that a full disk does not take must not fail the request that it tells of."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        with suppress(OSError):
            self._stream.write(text)
        return len(text)

    def flush(self) -> None:
        with suppress(OSError):
            self._stream.flush()
