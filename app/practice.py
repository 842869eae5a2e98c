"""The practise journey: choose an item, show a fresh variant, take the response, check it live, store, reveal.

The order of `submit` is the promise of this product. It reads, and closes that transaction; it runs the live check
with no transaction open; then it writes attempt, frozen variant and evidence in one transaction. Only a stored attempt
is ever revealed. A form's nonce is unique, so the same form sent twice leads to the same attempt.
"""

import uuid
from collections.abc import Container, Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from uuid import UUID

from sqlalchemy.exc import IntegrityError

from app.bank.catalog import Bank, misconceptions_of
from app.bank.evidence import Reading
from app.bank.item import Item
from app.bank.variants import Variant, content_hash, draw, to_json
from app.clock import day_of
from app.db import Database
from app.errors import ConflictError, NotFoundError, UnavailableError
from app.grading.grade import Response, grade
from app.grading.misconceptions import shown_by
from app.livecheck import CheckBrokenError, LiveCheck
from app.models import Attempt
from app.models.attempt import LastAttempt, Mode, by_nonce, count_of
from app.models.person import ensure_person
from app.models.practice_total import count_attempt
from app.sandbox.client import SandboxBusyError
from app.sandbox.protocol import Health
from app.tokens import FormToken, new_nonce, new_sub_seed


class ItemChangedError(ConflictError):
    """The item's file was edited between showing the form and answering it."""

    title = "This item changed meanwhile"


class FormUsedError(ConflictError):
    """The form led to an attempt of somebody else."""

    title = "This form was already used"


class NotRunError(UnavailableError):
    """An item cannot be shown, because none of its variants has been run."""

    title = "This item cannot be shown yet"


@dataclass(frozen=True, slots=True)
class Filter:
    """Which items to practise; an empty field leaves everything."""

    topic: str = ""
    kind: str = ""
    level: int = 0


def matching(bank: Bank, wanted: Filter, livecheck: LiveCheck) -> list[Item]:
    """Return the items a filter leaves, easier first and then in the order of the topics; none that is withheld."""
    items = bank.select(topic=wanted.topic or None, kind=wanted.kind or None, level=wanted.level or None)
    return sorted((item for item in items if livecheck.may_issue(bank.hashes[item.id])), key=lambda item: item.level)


def in_doubt(bank: Bank, livecheck: LiveCheck) -> frozenset[str]:
    """Return the ids of items of which no variant could be run to an end."""
    doubts = livecheck.doubts()
    return frozenset(item_id for item_id, digest in bank.hashes.items() if digest in doubts)


def choose_next(
    items: Iterable[Item], last: Mapping[str, LastAttempt], after: str = "", doubtful: Container[str] = ()
) -> Item | None:
    """Return the item to practise next: new ones first, then those not right last time, then the longest unseen.

    `after` is the item just answered: it comes again only where there is no other that can be shown. What is
    `doubtful` comes last of all, so that nobody is led to the same closed door again and again.
    """

    def urgency(item: Item) -> tuple[bool, bool, bool, bool, datetime | int]:
        attempt = last.get(item.id)
        known = attempt is not None
        right = attempt is not None and attempt.credit == 1
        return (item.id in doubtful, item.id == after, known, right, attempt.created_at if attempt else 0)

    return min(items, key=urgency, default=None)


def find_item(bank: Bank, item_id: str) -> Item:
    """Return an item that may be asked.

    Raises `NotFoundError` with what to do instead.
    """
    item = bank.item(item_id)
    if item.superseded_by or item.status == "retracted":
        raise NotFoundError("This item was withdrawn; its old attempts stay readable in the history.")
    return item


def new_form(item: Item, content_hash: str, person: UUID | None, now: datetime) -> FormToken:
    """Return the token of a form that shows a fresh variant of `item`; without a person it may begin a profile."""
    issued_at = int(now.timestamp())
    fresh = person is None
    return FormToken(new_nonce(), item.id, content_hash, new_sub_seed(), person or uuid.uuid4(), issued_at, fresh)


@dataclass(frozen=True, slots=True)
class Opening:
    """A variant that may be shown, the token of its form, and why no fresh one could be run, where that was so."""

    token: FormToken
    variant: Variant
    problem: UnavailableError | None = None


def open_item(livecheck: LiveCheck, item: Item, person: UUID | None, now: datetime) -> Opening:
    """Draw a fresh variant and have it run; one that ran before stands in where this one cannot be run now.

    Raises `ItemWithheldError`, or `NotRunError` where no variant of the item has been run.
    """
    digest = content_hash(item)
    token = new_form(item, digest, person, now)
    variant = draw(item, token.sub_seed)
    try:
        livecheck.assure(variant)
    except UnavailableError as error:
        sub_seed = livecheck.sub_seed_that_agreed(digest)
        if sub_seed is None:
            raise NotRunError(_why_not_run(error, livecheck.health()), retry_after=error.retry_after) from error
        return Opening(replace(token, sub_seed=sub_seed), draw(item, sub_seed), error)
    return Opening(token, variant)


def reopen_item(bank: Bank, livecheck: LiveCheck, token: FormToken, now: datetime, *, person: UUID | None) -> Opening:
    """Draw what a form of an item that changed, or of long ago, shows `person` now: of the same sub-seed, and run.

    So parameters and option order stay where the new file has the same. Raises `NotFoundError`, `ItemWithheldError`,
    or `NotRunError` where it cannot be run now.
    """
    item = find_item(bank, token.item_id)
    variant = draw(item, token.sub_seed)
    try:
        livecheck.assure(variant)
    except UnavailableError as error:
        why = _why_not_run(error, livecheck.health())
        raise NotRunError(f"{why} What you entered is still there when you go back.") from error
    fresh = new_form(item, variant.content_hash, person, now)
    return Opening(replace(fresh, sub_seed=token.sub_seed), variant)


def _why_not_run(error: UnavailableError, health: Health) -> str:
    promise = "No item is shown before it was run, and this one was not yet:"
    if isinstance(error, SandboxBusyError):
        return f"{promise} many checks are running at the moment. Try again in a few seconds."
    if isinstance(error, CheckBrokenError):
        return f"{promise} its run was cut short. Try again, or take another item."
    if health.state == "starting":
        return f"{promise} the sandbox is starting. Try again in a few seconds."
    return f"{promise} the sandbox is away for the moment. Try again in a minute."


def variant_of(bank: Bank, token: FormToken) -> Variant:
    """Draw again the variant that a form showed.

    Raises `NotFoundError`, or `ItemChangedError` where its item is another one now.
    """
    variant = draw(find_item(bank, token.item_id), token.sub_seed)
    if variant.content_hash != token.content_hash:
        raise ItemChangedError(
            "Its file was edited after you opened it, so nothing was stored. Here is the item as it is now, with "
            "what you entered: look once more, then commit."
        )
    return variant


@dataclass(frozen=True, slots=True)
class Earlier:
    """The attempt that a form has led to already, with the response that it holds."""

    attempt: UUID
    response: Response
    created_at: datetime


def earlier_attempt(database: Database, token: FormToken, person: UUID) -> Earlier | None:
    """Return the attempt that this form has already led to.

    Raises `FormUsedError` where it is another person's.
    """
    with database.reading() as session:
        attempt = by_nonce(session, token.nonce)
        if attempt is not None and attempt.person_id != person:
            raise FormUsedError("It was answered from another profile. Open the item again and answer it there.")
        return (
            None if attempt is None else Earlier(attempt.id, Response.from_json(attempt.response), attempt.created_at)
        )


BEGIN_SECONDS = 300


def may_begin(database: Database, token: FormToken, earlier: Earlier | None, now: datetime) -> bool:
    """Say whether a browser without a cookie may become the person of a form.

    Only with a form that was made for a browser without one, only while that person has answered nothing else, and
    after it was answered only for a few minutes, for a press that was sent twice.
    """
    if not token.fresh:
        return False
    if earlier is not None:
        return (now - earlier.created_at).total_seconds() < BEGIN_SECONDS
    with database.reading() as session:
        return count_of(session, token.person) == 0


@dataclass(frozen=True, slots=True)
class Submission:
    """A whole response to a shown variant: the form it came with, whose it is, and when it arrived."""

    token: FormToken
    person: UUID
    variant: Variant
    response: Response
    at: datetime
    zone: str = "UTC"  # says which day `at` counts for
    mode: Mode = Mode.PRACTICE


def submit(database: Database, livecheck: LiveCheck, bank: Bank, submission: Submission) -> UUID:
    """Check a response live, store the attempt, and return its id; no transaction is open while the sandbox runs.

    Raises what `LiveCheck.check` raises, `FormUsedError`, or `StorageError`; nothing is stored then.
    """
    reading = livecheck.check(submission.variant)
    attempt = attempt_of(bank, submission, reading)
    try:
        with database.writing() as session:
            ensure_person(session, submission.person, submission.at)
            session.add(attempt)
            count_attempt(session, attempt, shown_by(submission.variant.item, submission.response, reading.key))
    except IntegrityError:
        # The same form arrived twice and the other request stored first: its attempt is this one's answer.
        earlier = earlier_attempt(database, submission.token, submission.person)
        if earlier is None:
            raise
        return earlier.attempt
    return attempt.id


def attempt_of(bank: Bank, submission: Submission, reading: Reading) -> Attempt:
    """Return the attempt that a response and its live check make; nothing is stored here."""
    item, response = submission.variant.item, submission.response
    outcome = grade(response, reading.key)
    return Attempt(
        id=uuid.uuid4(),
        person_id=submission.person,
        nonce=submission.token.nonce,
        created_at=submission.at,
        day=day_of(submission.at, submission.zone),
        mode=submission.mode,
        seconds=max(0, int(submission.at.timestamp()) - submission.token.issued_at),
        item_id=item.id,
        content_hash=submission.variant.content_hash,
        kind=item.kind,
        topic=item.topic,
        level=item.level,
        title=item.title,
        credit=outcome.credit,
        confidence=response.confidence,
        torch=reading.evidence.torch,
        variant=to_json(submission.variant),
        words={
            "topic": bank.title_of(item.topic),
            "misconceptions": {
                name: one.sentence for name, one in bank.misconceptions.items() if name in misconceptions_of(item)
            },
        },
        response=response.to_json(),
        outcome=outcome.to_json(),
        reading=asdict(reading),
    )
