"""Security headers on every response, with a fresh nonce for the one inline script that a page may have."""

import secrets

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

POLICY = (
    "default-src 'none'; script-src 'self' 'nonce-{nonce}'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
FIXED = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=(), payment=()",
}


def secure(headers: MutableHeaders, nonce: str) -> None:
    """Add what every response carries; a page is private and revalidated unless it says otherwise."""
    headers.update(FIXED)
    headers.setdefault("content-security-policy", POLICY.format(nonce=nonce))
    headers.setdefault("cache-control", "private, no-cache")


class SecurityHeaders:
    """ASGI middleware; the nonce is in `request.state.csp_nonce`."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Add the headers to the response's start."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        nonce = secrets.token_urlsafe(16)
        scope.setdefault("state", {})["csp_nonce"] = nonce

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                secure(MutableHeaders(scope=message), nonce)
            await send(message)

        await self.app(scope, receive, send_with_headers)
