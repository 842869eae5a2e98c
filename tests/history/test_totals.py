"""Totals are what the attempts say, whatever the order in which they came; and they can be made anew."""

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest
from alembic import command
from hypothesis import HealthCheck, given, settings, strategies
from sqlalchemy import select

from app.db import Database, alembic_config, open_database, upgrade
from app.grading.grade import Confidence
from app.history.totals import rebuild
from app.models import AttemptBelief, Person, PracticeTotal
from app.models.attempt import Mode
from app.models.practice_total import COUNTED, attempt_in
from tests.databases import url_for
from tests.history.attempts import NOON, Told, store


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    opened = open_database(url_for(tmp_path))
    yield opened
    opened.dispose()


def new_person(database: Database) -> UUID:
    person = uuid4()
    with database.writing() as session:
        session.add(Person(id=person, created_at=NOON))
    return person


def rows(database: Database, person: UUID) -> dict[tuple[Any, ...], dict[str, Any]]:
    """Return the totals of a person by key."""
    with database.reading() as session:
        found = session.scalars(select(PracticeTotal).where(PracticeTotal.person_id == person)).all()
    return {
        (one.span, one.start, one.topic, one.level, one.kind, one.mode, one.belief): {
            name: getattr(one, name) for name in (*COUNTED, "newest")
        }
        for one in found
    }


def beliefs(database: Database, person: UUID) -> set[tuple[UUID, str, datetime]]:
    with database.reading() as session:
        found = session.scalars(select(AttemptBelief).where(AttemptBelief.person_id == person)).all()
    return {(one.attempt_id, one.belief, one.created_at) for one in found}


def test_an_attempt_is_counted_for_its_day_and_its_month(database: Database) -> None:
    person = new_person(database)
    with database.writing() as session:
        (attempt,) = store(session, person, [Told(confidence=Confidence.CERTAIN, seconds=15)])
    found = rows(database, person)
    about = ("accumulation", 1, "true_false", "practice", "")
    line = [("", 0, "", mode, "") for mode in ("", "practice")]
    assert set(found) == {
        ("day", date(2026, 3, 10), *about),
        ("month", date(2026, 3, 1), *about),
        ("ever", date(1970, 1, 1), *about),
        *(("line-day", date(2026, 3, 10), *one) for one in line),
        *(("line-month", date(2026, 3, 1), *one) for one in line),
    }
    counts = {name: value for name, value in found["day", date(2026, 3, 10), *about].items() if value}
    newest = counts.pop("newest")
    assert counts == {"attempts": 1, "right": 1, "credit": 1.0, "certain": 1, "certain_right": 1, "under_30": 1}
    assert attempt_in(newest) == attempt.id


def test_a_belief_that_was_shown_has_rows_of_its_own_which_name_the_newest_attempt(database: Database) -> None:
    person = new_person(database)
    with database.writing() as session:
        later, earlier = store(
            session, person, [Told(reason="2", confidence=Confidence.CERTAIN), Told(NOON - timedelta(1), reason="2")]
        )
    month = rows(database, person)["month", date(2026, 3, 1), "accumulation", 1, "true_false", "practice", "replaces"]
    assert (month["attempts"], month["right"], month["certain"], month["certain_right"]) == (2, 0, 1, 0)
    assert attempt_in(month["newest"]) == later.id
    assert {one[0] for one in beliefs(database, person)} == {earlier.id, later.id}


@pytest.mark.parametrize(
    ("zone", "day"), [("UTC", date(2026, 3, 1)), ("America/New_York", date(2026, 2, 28)), ("No/Zone", date(2026, 3, 1))]
)
def test_the_day_is_that_of_the_person_s_zone(database: Database, zone: str, day: date) -> None:
    person = new_person(database)
    with database.writing() as session:
        store(session, person, [Told(datetime(2026, 3, 1, 3, tzinfo=UTC), zone=zone)])
    starts = {key[0]: key[1] for key in rows(database, person)}
    month = day.replace(day=1)
    assert (starts["day"], starts["line-day"], starts["month"], starts["line-month"]) == (day, day, month, month)


def test_no_other_person_is_touched(database: Database) -> None:
    one, other = new_person(database), new_person(database)
    with database.writing() as session:
        store(session, one, [Told()])
    assert len(rows(database, one)) == 7
    assert rows(database, other) == {}


told = strategies.builds(
    Told,
    at=strategies.datetimes(datetime(2024, 1, 1), datetime(2026, 12, 31)).map(lambda at: at.replace(tzinfo=UTC)),  # noqa: DTZ001 - hypothesis draws times without a zone
    topic=strategies.sampled_from(["accumulation", "leaves"]),
    level=strategies.integers(1, 3),
    kind=strategies.sampled_from(["true_false", "why"]),
    mode=strategies.sampled_from(list(Mode)),
    verdict=strategies.sampled_from(["true", "false"]),
    reason=strategies.sampled_from(["1", "2"]),
    confidence=strategies.sampled_from([None, *Confidence]),
    seconds=strategies.integers(0, 1000),
    zone=strategies.sampled_from(["UTC", "Pacific/Auckland", "America/New_York"]),
)


@given(strategies.lists(told, max_size=12))
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_totals_made_anew_are_those_that_the_attempts_wrote(database: Database, listed: list[Told]) -> None:
    person = new_person(database)
    with database.writing() as session:
        store(session, person, listed)
    kept, shown = rows(database, person), beliefs(database, person)
    assert sum(rebuild(database)) >= len(listed)
    assert rows(database, person) == {key: pytest.approx(one) for key, one in kept.items()}
    assert beliefs(database, person) == shown


def test_the_migration_makes_of_older_totals_what_attempts_write_now(database: Database) -> None:
    one, other = new_person(database), new_person(database)
    with database.writing() as session:
        store(session, one, [Told(NOON - timedelta(days=9 * n), reason="12"[n % 2], seconds=n) for n in range(9)])
        store(session, other, [Told(confidence=Confidence.GUESS, mode=Mode.DECK)])
    written = rows(database, one), rows(database, other)
    command.downgrade(alembic_config(database), "0005")
    assert {key[0] for key in rows(database, one)} == {"day", "month"}
    upgrade(database)
    assert (rows(database, one), rows(database, other)) == written
