"""The one base of every error a person may see, and what all journeys share."""

from typing import ClassVar


class GradproofError(Exception):
    """An expected failure: `message` is a sentence a person can act on, `status` its HTTP status."""

    status: ClassVar[int] = 400
    title: ClassVar[str] = "That did not work"

    def __init__(self, message: str, *, retry_after: int | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.retry_after = retry_after


class NotFoundError(GradproofError):
    """What was asked for is not there, or not this person's to see."""

    status = 404
    title = "Not found"


class BadRequestError(GradproofError):
    """The request cannot be read as what it claims to be."""

    status = 400
    title = "That request could not be read"


class ConflictError(GradproofError):
    """The request was made against a state that has moved on."""

    status = 409
    title = "This changed meanwhile"


class TooLargeError(GradproofError):
    """The request body exceeds its limit."""

    status = 413
    title = "Too much at once"


class TooManyRequestsError(GradproofError):
    """The person or their address asks for more runs than their share."""

    status = 429
    title = "A little slower, please"


class UnavailableError(GradproofError):
    """Something this answer needs is away for the moment."""

    status = 503
    title = "Not available for the moment"
