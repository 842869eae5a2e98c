"""Mail by SMTP. Nothing that comes from a form can add a header or an addressee, and nothing travels in the clear.

`smtp://` asks for STARTTLS and refuses to go on without it, but on this very machine; `smtps://` is TLS from the start.
"""

import smtplib
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from email.errors import MessageError
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime, parseaddr
from functools import lru_cache
from urllib.parse import unquote, urlsplit

from app.addresses import InvalidEmailError, read_email
from app.db import Database
from app.delivery.outbox import Failure, claim, settle
from app.models import Delivery
from app.models.delivery import Channel
from app.settings import Settings, SettingsError

TIMEOUT_S = 10.0
LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
NO_SERVER = Failure("This site sends no mail: no mail server is set. Copy the link and send it yourself.")


@dataclass(frozen=True, slots=True)
class MailServer:
    """Where mails are handed in, and who they come from."""

    host: str
    port: int
    encrypted: bool  # from the first byte; otherwise by STARTTLS
    sender: Address
    user: str = ""
    password: str = field(default="", repr=False)


def mail_server(settings: Settings) -> MailServer | None:
    """Return the mail server of the settings, or `None` where none is set.

    Raises `SettingsError`.
    """
    url = settings.smtp_url.get_secret_value()
    if not url:
        return None
    try:
        parts = urlsplit(url)
        port, host = parts.port, parts.hostname
    except ValueError:
        port, host = None, None
    if host is None or parts.scheme not in {"smtp", "smtps"} or parts.path.strip("/") or parts.query or parts.fragment:
        raise SettingsError("GRADPROOF_SMTP_URL: write it like smtp://user:password@mail.example.org:587, or smtps://")
    user, password = unquote(parts.username or ""), unquote(parts.password or "")
    if not (user + password).isascii():
        raise SettingsError("GRADPROOF_SMTP_URL: user and password may hold ASCII characters only")
    return MailServer(
        host=host,
        port=port or (465 if parts.scheme == "smtps" else 587),
        encrypted=parts.scheme == "smtps",
        sender=_sender(settings.mail_from),
        user=user,
        password=password,
    )


def _sender(text: str) -> Address:
    name, address = parseaddr(text if text.isprintable() else "")
    try:
        return Address(display_name=name, addr_spec=read_email(address))
    except (InvalidEmailError, ValueError, MessageError) as error:
        raise SettingsError(
            "GRADPROOF_MAIL_FROM: a mail server is set, so mails need a sender, such as Gradproof <quiz@example.org>"
        ) from error


def compose(delivery: Delivery, sender: Address, now: datetime) -> EmailMessage:
    """Return the mail of a delivery; each try of it has the same Message-ID.

    Raises `InvalidEmailError`, `ValueError` or `MessageError` for an address or a text that no mail can hold.
    """
    message = EmailMessage(policy=SMTP)
    message["From"] = sender
    message["To"] = Address(addr_spec=read_email(delivery.target))
    message["Subject"] = _one_line(delivery.payload["subject"])
    message["Date"] = format_datetime(now)
    message["Message-ID"] = f"<{delivery.id}@{sender.domain}>"
    message["Auto-Submitted"] = "auto-generated"
    message.set_content(delivery.payload["text"], cte="quoted-printable")
    return message


def _one_line(text: str) -> str:
    """Return text without line ends and other characters that do not print."""
    return "".join(one for one in " ".join(text.split()) if one.isprintable())


def deliver_mails(database: Database, server: MailServer | None, now: datetime) -> int:
    """Send mails that are due, over one connection; return how many were tried.

    Where the server is away none of them can be sent, and each says so.
    """
    waiting = list(claim(database, Channel.MAIL, now))
    tried = len(waiting)
    if not waiting:
        return 0
    try:
        if server is not None:
            with _connected(server) as connection:
                while waiting:
                    failure = _send(connection, server, waiting[0], now)
                    settle(database, waiting.pop(0).id, now, failure)
        away = NO_SERVER
    except (OSError, smtplib.SMTPException) as error:
        away = Failure(f"The mail server cannot be used: {_said(error)}")
    for one in waiting:
        settle(database, one.id, now, away)
    return tried


@contextmanager
def _connected(server: MailServer) -> Iterator[smtplib.SMTP]:
    if server.encrypted:
        connection: smtplib.SMTP = smtplib.SMTP_SSL(server.host, server.port, timeout=TIMEOUT_S, context=_trusted())
    else:
        connection = smtplib.SMTP(server.host, server.port, timeout=TIMEOUT_S)
    with connection:
        connection.ehlo()
        if not server.encrypted and (server.host not in LOOPBACK or connection.has_extn("starttls")):
            connection.starttls(context=_trusted())
        if server.user:
            connection.login(server.user, server.password)
        yield connection


@lru_cache(maxsize=1)
def _trusted() -> ssl.SSLContext:
    return ssl.create_default_context()


def _send(connection: smtplib.SMTP, server: MailServer, delivery: Delivery, now: datetime) -> Failure | None:
    """Hand in one mail; an `SMTPException` that comes out is about the connection or the sender, not about it."""
    try:
        message = compose(delivery, server.sender, now)
    except (InvalidEmailError, ValueError, MessageError):
        return Failure("No mail can be written to this address with this text.", final=True)
    try:
        connection.send_message(message, server.sender.addr_spec, [read_email(delivery.target)])
    except smtplib.SMTPRecipientsRefused as error:
        code, reason = next(iter(error.recipients.values()))
        return Failure(f"The mail server refused the address: {_text(code, reason)}", final=code >= 500)
    except smtplib.SMTPDataError as error:
        return Failure(f"The mail server refused the mail: {_said(error)}", final=error.smtp_code >= 500)
    except smtplib.SMTPNotSupportedError:
        return Failure("The mail server takes only addresses of ASCII letters.", final=True)
    return None


def _said(error: Exception) -> str:
    if isinstance(error, smtplib.SMTPResponseException):
        return _text(error.smtp_code, error.smtp_error)
    return _one_line(str(error)) or type(error).__name__


def _text(code: int, reason: bytes | str) -> str:
    words = reason.decode(errors="replace") if isinstance(reason, bytes) else reason
    return f"{code} {_one_line(words)}"
