"""A real mail server for tests: it keeps what it accepts, and refuses what it is told to refuse."""

import asyncio
import email
import email.policy
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.message import EmailMessage
from typing import Any

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, AuthResult, Envelope, LoginPassword, Session
from pydantic import SecretStr

from app.settings import Settings


@dataclass
class Mailbox:
    """Everything that arrived, each with who it was for."""

    url: str = ""
    arrived: list[tuple[list[str], EmailMessage]] = field(default_factory=list)
    connections: int = 0
    refusals: dict[str, str] = field(default_factory=dict)  # address -> what RCPT is answered
    answers: list[str] = field(default_factory=list)  # what the next DATA are answered, in order
    logins: list[tuple[bytes, bytes]] = field(default_factory=list)

    async def handle_EHLO(  # noqa: N802 - a name of aiosmtpd
        self, server: SMTP, session: Session, envelope: Envelope, hostname: str, responses: list[str]
    ) -> list[str]:
        self.connections += 1
        session.host_name = hostname
        return responses

    async def handle_RCPT(  # noqa: N802 - a name of aiosmtpd
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        if address in self.refusals:
            return self.refusals[address]
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(  # noqa: N802 - a name of aiosmtpd
        self, server: SMTP, session: Session, envelope: Envelope
    ) -> str:
        answer = self.answers.pop(0) if self.answers else "250 OK"
        if answer.startswith("250"):
            assert isinstance(envelope.content, bytes)
            message = email.message_from_bytes(envelope.content, policy=email.policy.default)
            assert isinstance(message, EmailMessage)
            self.arrived.append((envelope.rcpt_tos, message))
        return answer

    def authenticate(self, server: SMTP, session: Session, envelope: Envelope, mechanism: str, data: Any) -> AuthResult:
        """Take one password."""
        assert isinstance(data, LoginPassword)
        self.logins.append((data.login, data.password))
        return AuthResult(success=data.password == b"p@ss:word", handled=False)

    def settings(self, settings: Settings, user: str = "") -> Settings:
        """Return `settings` with this mail server."""
        url = self.url.replace("//", f"//{user}", 1)
        return settings.model_copy(update={"smtp_url": SecretStr(url), "mail_from": "Quiz <q@example.org>"})


class _FreePort(Controller):
    """A controller that knows which port it was given."""

    async def _create_server(self) -> asyncio.AbstractServer:
        server = await super()._create_server()
        assert isinstance(server, asyncio.Server)
        self.port = server.sockets[0].getsockname()[1]
        return server


@contextmanager
def open_mailbox(**options: Any) -> Iterator[Mailbox]:
    """Run the server at a free port until the block ends; `options` are those of aiosmtpd's SMTP."""
    mailbox = Mailbox()
    controller = _FreePort(mailbox, hostname="127.0.0.1", port=0, authenticator=mailbox.authenticate, **options)
    controller.start()
    try:
        mailbox.url = f"smtp://127.0.0.1:{controller.port}"
        yield mailbox
    finally:
        controller.stop()
