"""Secrets that must be read again, such as the key of a webhook: encrypted with keys derived from the signing keys.

Whoever copies the database alone has nothing. Sealing uses the newest key; reading accepts any of them, so a rotation
breaks nothing, and `reseal` moves what is stored to the newest before the old one is dropped.
"""

import base64
from collections.abc import Callable

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from sqlalchemy import select
from sqlalchemy.orm import Session

from app.db import Database
from app.errors import GradproofError
from app.models import ApiKey, WebhookEndpoint

PURPOSE = b"gradproof sealed secrets 1"


class UnreadableSecretError(GradproofError):
    """A secret was sealed with a signing key that this server does not have."""

    status = 500
    title = "A stored secret cannot be read"


class Sealer:
    """Seals with the newest of `keys` (oldest first, as the signer takes them) and reads what any of them sealed."""

    def __init__(self, keys: list[str]) -> None:
        boxes = [_box(key) for key in reversed(keys)]
        self._newest = boxes[0]
        self._boxes = MultiFernet(boxes)

    def seal(self, secret: str) -> str:
        """Return `secret` encrypted and authenticated, as text of about 4/3 its length and 100 more."""
        return self._boxes.encrypt(secret.encode()).decode()

    def read(self, sealed: str) -> str:
        """Return the secret.

        Raises `UnreadableSecretError`.
        """
        try:
            return self._boxes.decrypt(sealed).decode()
        except InvalidToken as error:
            raise UnreadableSecretError(
                "It was sealed with another signing key. Set that one as GRADPROOF_SECRET_KEY_PREVIOUS, or make the "
                "secret anew."
            ) from error

    def is_newest(self, sealed: str) -> bool:
        """Say whether the newest key alone reads it."""
        try:
            self._newest.decrypt(sealed)
        except InvalidToken:
            return False
        return True

    def reseal(self, sealed: str) -> str:
        """Return the same secret under the newest key; one that cannot be read stays as it is, for its key may return.

        An empty text, which is no secret, stays empty.
        """
        if not sealed or self.is_newest(sealed):
            return sealed
        try:
            return self.seal(self.read(sealed))
        except UnreadableSecretError:
            return sealed


def _box(key: str) -> Fernet:
    derived = HKDF(algorithm=SHA256(), length=32, salt=None, info=PURPOSE).derive(key.encode())
    return Fernet(base64.urlsafe_b64encode(derived))


def reseal(database: Database, sealer: Sealer) -> int:
    """Move every stored secret to the newest key; return how many rows moved."""
    with database.reading() as session:
        if not _move(session, sealer.reseal):
            return 0
    with database.writing() as session:
        return _move(session, sealer.reseal)


def _move(session: Session, fresh: Callable[[str], str]) -> int:
    """Reseal what is loaded in this transaction, which decides whether it is stored."""
    moved = 0
    for key in session.scalars(select(ApiKey).where(ApiKey.sealed != "")):
        sealed = fresh(key.sealed)
        moved += sealed != key.sealed
        key.sealed = sealed
    for endpoint in session.scalars(select(WebhookEndpoint)):
        secrets = fresh(endpoint.secret), fresh(endpoint.previous_secret)
        moved += secrets != (endpoint.secret, endpoint.previous_secret)
        endpoint.secret, endpoint.previous_secret = secrets
    return moved
