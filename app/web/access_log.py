"""One log line per request: method, path, status, time. Never a query, a body, a cookie or a header."""

import time

import structlog
from starlette.types import ASGIApp, Message, Receive, Scope, Send

log = structlog.get_logger()


LONGEST_PATH = 200
LINKS = ("/invitations/", "/open/", "/join/", "/reset/")


def public_path(path: str) -> str:
    """Return a path as it may be kept: a link's secret is a key, so what follows the start of one is left out."""
    start = next((one for one in LINKS if path.startswith(one)), None)
    return path[:LONGEST_PATH] if start is None else f"{start}…"


class AccessLog:
    """ASGI middleware, outermost, so that its time is what a person waited."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Log the request when it ended, however it ended."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        started, status = time.perf_counter(), 500

        async def watch(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self.app(scope, receive, watch)
        finally:
            milliseconds = round((time.perf_counter() - started) * 1000, 1)
            log.info("request", method=scope["method"], path=public_path(scope["path"]), status=status, ms=milliseconds)
