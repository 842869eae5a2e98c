"""Passwords: what is accepted, and argon2 hashes. Hashing takes tens of milliseconds: never inside a transaction."""

from functools import lru_cache

from pwdlib import PasswordHash
from pwdlib.hashers.argon2 import Argon2Hasher

from app.errors import GradproofError

SHORTEST = 10
LONGEST = 200


class WeakPasswordError(GradproofError):
    """A new password would be guessed soon, or cannot be taken."""

    status = 422
    title = "Choose another password"


@lru_cache(maxsize=1)
def _hasher() -> PasswordHash:
    return PasswordHash((Argon2Hasher(),))


@lru_cache(maxsize=1)
def _nobody() -> str:
    """Return the hash of no account, so that an unknown address takes as long as a known one."""
    return _hasher().hash("a password that no account has")


def check_new(password: str, *known: str) -> None:
    """Raise `WeakPasswordError` for a password that is too short, too long, one repeated character, or in `known`.

    `known` are words that an attacker tries first: the address, its part before the @, the name.
    """
    if len(password) < SHORTEST:
        raise WeakPasswordError(
            f"It needs at least {SHORTEST} characters. Three or four random words are easy to keep."
        )
    if len(password) > LONGEST:
        raise WeakPasswordError(f"It may have at most {LONGEST} characters.")
    if len(set(password)) < 4:
        raise WeakPasswordError("It repeats the same few characters. Three or four random words are easy to keep.")
    words = {word.casefold() for word in known if word} | {word.partition("@")[0].casefold() for word in known}
    if password.casefold() in words:
        raise WeakPasswordError("It is your name or your address, which is tried first.")


def hash_password(password: str) -> str:
    """Return the argon2id hash to store."""
    return _hasher().hash(password)


def verify(password: str, stored: str | None) -> tuple[bool, str | None]:
    """Say whether a password fits, and return a new hash where the stored one was made with weaker settings.

    Without a stored hash the answer is no, after the same time.
    """
    if len(password) > LONGEST:
        return False, None
    fits, newer = _hasher().verify_and_update(password, stored or _nobody())
    return (fits, newer) if stored else (False, None)
