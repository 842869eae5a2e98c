"""Signed values that leave the server and come back: the form of a shown item, and the profile cookie."""

import hashlib
import os
import secrets
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any
from uuid import UUID

from itsdangerous import BadData, URLSafeSerializer

from app.errors import BadRequestError, GradproofError

SHORTEST_KEY = 32
RENEW_SECONDS = 30 * 24 * 3600


class WeakKeyError(GradproofError):
    """A signing key could be guessed."""

    title = "The signing key is too weak"


class ForgedFormError(BadRequestError):
    """The form was not made by this server, or was changed on its way."""

    title = "This form is not one of ours"


@dataclass(frozen=True, slots=True)
class FormToken:
    """What a shown item's form carries: enough to draw the same variant again, and a nonce for one attempt only.

    `person` is the profile the form was shown to. `fresh` says that this id was made for the form, because the browser
    sent no cookie: only such a form may begin a profile, so that a form somebody else got hold of is never a way into
    one that is in use.
    """

    nonce: str
    item_id: str
    content_hash: str
    sub_seed: int
    person: UUID
    issued_at: int
    fresh: bool = False


def new_nonce() -> str:
    """Return 128 random bits as text."""
    return secrets.token_urlsafe(16)


def new_sub_seed() -> int:
    """Return a random seed from which a variant is drawn."""
    return secrets.randbits(48)


@dataclass(frozen=True, slots=True)
class ProfileToken:
    """The profile in a cookie. `old` asks for a new cookie: this one is over a month old, or of the previous key."""

    person: UUID
    old: bool


class Signer:
    """Signs with the newest key and accepts any of `keys` (oldest first). Values are readable, not secret."""

    def __init__(self, keys: list[str]) -> None:
        self._forms = URLSafeSerializer(keys, salt="gradproof.form")
        self._profiles = URLSafeSerializer(keys, salt="gradproof.profile")
        self._newest = URLSafeSerializer(keys[-1], salt="gradproof.profile")
        self._candidates = URLSafeSerializer(keys, salt="gradproof.candidate")

    def sign_form(self, token: FormToken) -> str:
        """Return `token` as text for a hidden field."""
        return str(self._forms.dumps(asdict(token) | {"person": str(token.person)}))

    def read_form(self, text: str) -> FormToken:
        """Return the token in `text`, whatever its age.

        Raises `ForgedFormError` where it was not signed here.
        """
        try:
            data: dict[str, Any] = self._forms.loads(text)
            return FormToken(**data | {"person": UUID(data["person"])})
        except (BadData, TypeError, ValueError, KeyError, AttributeError) as error:
            raise ForgedFormError(
                "Its signature does not match, so nothing was stored. Open the item again and answer it there."
            ) from error

    def sign_profile(self, person: UUID, at: int | None = None) -> str:
        """Return the cookie value for a profile, signed `at` (seconds; now by default)."""
        return str(self._profiles.dumps([str(person), int(time.time()) if at is None else at]))

    def read_profile(self, text: str) -> ProfileToken | None:
        """Return the profile in a cookie value, or `None` where its signature does not match."""
        try:
            person, signed_at = self._profiles.loads(text)
            age = int(time.time()) - int(signed_at)
            return ProfileToken(UUID(person), age > RENEW_SECONDS or not self._is_newest(text))
        except (BadData, TypeError, ValueError, AttributeError):
            return None

    def _is_newest(self, text: str) -> bool:
        try:
            self._newest.loads(text)
        except BadData:
            return False
        return True

    def sign_candidate(self, invitation: UUID) -> str:
        """Return the cookie value for the candidate of an invitation."""
        return str(self._candidates.dumps(str(invitation)))

    def read_candidate(self, text: str) -> UUID | None:
        """Return the invitation in a cookie value, or `None` where its signature does not match."""
        try:
            return UUID(self._candidates.loads(text))
        except (BadData, TypeError, ValueError, AttributeError):
            return None


def key_file(var: Path) -> Path:
    """Return where the generated signing key is kept."""
    return var / "signing-key"


def generated_key(var: Path) -> str:
    """Return the signing key kept in `var`, made at first use with mode 0600.

    Two processes that start together agree: the file is linked into place complete, and the first one wins.
    """
    path = key_file(var)
    if not path.exists():
        draft = path.with_name(f"{path.name}.{os.getpid()}.{secrets.token_hex(4)}")
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w") as handle:
            handle.write(secrets.token_urlsafe(48))
            handle.flush()
            os.fsync(handle.fileno())
        try:
            os.link(draft, path)
        except FileExistsError:
            pass
        finally:
            draft.unlink()
    key = path.read_text().strip()
    if len(key) < SHORTEST_KEY:
        raise WeakKeyError(
            f"The signing key in {path} is empty or too short, so it could be guessed. Restore it from a backup, or "
            "remove the file: a new key is made, and cookies and forms of the old one end."
        )
    return key


def new_secret() -> str:
    """Return 256 random bits as text, for a link, a cookie or a key; only `hash_secret` of it is stored."""
    return secrets.token_urlsafe(32)


def hash_secret(secret: str) -> str:
    """Return the SHA-256 in hex by which a secret is found; it is long and random, so it needs no salt."""
    return hashlib.sha256(secret.encode()).hexdigest()
