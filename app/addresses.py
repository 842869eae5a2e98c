"""Mail addresses as they are stored: trimmed, in lower case, and with nothing in them that a header could misread."""

import re

from app.errors import GradproofError

LONGEST = 254
_EMAIL = re.compile(r"[^@\s,;:<>\"()\[\]\\]+@[^@\s,;:<>\"()\[\]\\]+\.[^@\s,;:<>\"()\[\]\\.]+")


class InvalidEmailError(GradproofError):
    """What was typed is no mail address."""

    status = 422
    title = "That is no mail address"


def read_email(text: str) -> str:
    """Return a mail address in the form it is stored, or raise `InvalidEmailError`."""
    email = text.strip().lower()
    if len(email) > LONGEST or not _EMAIL.fullmatch(email) or not email.isprintable():
        raise InvalidEmailError("Write it like name@example.org.")
    return email
