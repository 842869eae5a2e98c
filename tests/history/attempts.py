"""Attempts for tests of the history: made up, and stored through the models as the journey stores them."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

from sqlalchemy.orm import Session

from app.bank.evidence import Evidence, Key, Reading
from app.bank.item import read_item
from app.bank.variants import draw, to_json
from app.clock import day_of
from app.grading.grade import Confidence, Response, grade
from app.models import Attempt
from app.models.attempt import Mode
from app.models.practice_total import count_attempt
from tests.banks import ITEMS

NOON = datetime(2026, 3, 10, 12, tzinfo=UTC)
VARIANT = draw(read_item(ITEMS["two-walks"] | {"id": "two-walks", "topic": "accumulation"}), 0)
KEY = Key({"verdict": ("false",), "reason": ("1",)})
READING = asdict(Reading(KEY, Evidence((), (), {}, (), "2.13.0", "3.11", (), 1.0)))


@dataclass(frozen=True, slots=True)
class Told:
    """What a test says of an attempt; the reason 2 shows the misconception `replaces`."""

    at: datetime = NOON
    topic: str = "accumulation"
    level: int = 1
    kind: str = "true_false"
    mode: Mode = Mode.PRACTICE
    verdict: str = "false"
    reason: str = "1"
    confidence: Confidence | None = None
    seconds: int = 20
    zone: str = "UTC"


def made(person: UUID, told: Told) -> Attempt:
    """Return an attempt, graded as the journey grades it."""
    response = Response({"verdict": told.verdict, "reason": told.reason}, confidence=told.confidence)
    outcome = grade(response, KEY)
    return Attempt(
        id=uuid4(),
        person_id=person,
        nonce=uuid4().hex,
        created_at=told.at,
        day=day_of(told.at, told.zone),
        mode=told.mode,
        seconds=told.seconds,
        item_id="two-walks",
        content_hash=VARIANT.content_hash,
        kind=told.kind,
        topic=told.topic,
        level=told.level,
        title="Two walks",
        credit=outcome.credit,
        confidence=told.confidence,
        torch="2.13.0",
        variant=to_json(VARIANT),
        words={"topic": told.topic, "misconceptions": {"replaces": "A call replaces the gradient."}},
        response=response.to_json(),
        outcome=outcome.to_json(),
        reading=READING,
    )


def store(session: Session, person: UUID, listed: Sequence[Told]) -> list[Attempt]:
    """Store attempts of a person, each counted as in its own transaction."""
    attempts = []
    for told in listed:
        attempt = made(person, told)
        session.add(attempt)
        shows = told.reason == "2"
        count_attempt(session, attempt, ["replaces"] if shows else [])
        attempts.append(attempt)
    return attempts


def daily(count: int, **changes: object) -> list[Told]:
    """Return an attempt a day, the last at noon of 10 March 2026."""
    return [Told(**{"at": NOON - timedelta(days=back), **changes}) for back in reversed(range(count))]  # type: ignore[arg-type]  # a test names fields
