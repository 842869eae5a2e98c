"""What the overview says is what one finds by looking at every attempt; and what it advises follows from it."""

from collections import Counter
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest
from hypothesis import HealthCheck, given, settings, strategies
from sqlalchemy import event

from app.db import Database, open_database
from app.grading.grade import Confidence
from app.history.advice import Advice, Why, advise, costliest, weakest
from app.history.figures import Unit
from app.history.listing import slice_of
from app.history.overview import BeliefShown, Overview, overview_of
from app.history.wanted import Period, Wanted, first_day, since_of
from app.models import Attempt, Person
from app.models.attempt import Mode
from app.models.practice_total import Tally
from tests.databases import url_for
from tests.history.attempts import NOON, Told, store
from tests.history.test_totals import told

TODAY = NOON.date()
EVERYTHING = Wanted()


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    opened = open_database(url_for(tmp_path))
    yield opened
    opened.dispose()


def stored(database: Database, listed: list[Told]) -> tuple[UUID, list[Attempt]]:
    person = uuid4()
    with database.writing() as session:
        session.add(Person(id=person, created_at=NOON))
        session.flush()
        return person, store(session, person, listed)


def overview(database: Database, person: UUID, wanted: Wanted = EVERYTHING, today: date = TODAY) -> Overview:
    with database.reading() as session:
        return overview_of(session, person, wanted, today)


wanteds = strategies.builds(
    Wanted,
    period=strategies.sampled_from(Period),
    topic=strategies.sampled_from(["", "accumulation", "leaves"]),
    kind=strategies.sampled_from(["", "true_false"]),
    mode=strategies.sampled_from(["", Mode.MOCK.value]),
)


def fits(attempt: Attempt, wanted: Wanted, today: date) -> bool:
    first = first_day(wanted.period, today)
    if first is not None and attempt.day < first:
        return False
    return all(not value or getattr(attempt, name) == value for name, value in vars_of(wanted).items())


def vars_of(wanted: Wanted) -> dict[str, str]:
    return {"topic": wanted.topic, "kind": wanted.kind, "mode": wanted.mode}


@given(strategies.lists(told, max_size=10), wanteds)
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_overview_counts_what_the_attempts_say(database: Database, listed: list[Told], wanted: Wanted) -> None:
    today = date(2026, 12, 31)
    person, attempts = stored(database, listed)
    found = overview(database, person, wanted, today)
    kept = [one for one in attempts if fits(one, wanted, today)]
    assert found.ever == len(attempts)
    assert found.total.attempts == len(kept)
    assert found.total.right == sum(one.credit == 1 for one in kept)
    assert {topic: tally.attempts for topic, tally in found.topics.items()} == Counter(one.topic for one in kept)
    assert {level: tally.attempts for level, tally in found.levels.items()} == Counter(one.level for one in kept)
    assert sum(one.tally.attempts for one in found.buckets) == len(kept)
    shown = [one for one in kept if one.response["choices"]["reason"] == "2"]
    assert sum(one.tally.attempts for one in found.beliefs) == len(shown)
    if shown:
        newest = max(shown, key=lambda one: (one.created_at, str(one.id)))
        (belief,) = found.beliefs
        assert (belief.newest, belief.last) == (newest.id, newest.created_at.date())
    assert set(found.practised) == {one.day for one in attempts if (today - one.day).days < 84}


def test_other_people_and_filters_of_nothing_show_nothing(database: Database) -> None:
    stored(database, [Told()])
    assert overview(database, uuid4()) == Overview()
    person, _ = stored(database, [Told()])
    found = overview(database, person, Wanted(topic="none"))
    assert (found.ever, found.total, found.buckets) == (1, Tally(), ())


def test_a_young_history_is_shown_by_day_or_week_and_an_old_one_by_month(database: Database) -> None:
    young, _ = stored(database, [Told(NOON - timedelta(days=n)) for n in range(5)])
    assert overview(database, young).unit is Unit.DAY
    older, _ = stored(database, [Told(NOON - timedelta(days=n)) for n in (0, 60)])
    assert overview(database, older).unit is Unit.WEEK
    old, _ = stored(database, [Told(NOON - timedelta(days=n)) for n in (0, 400)])
    assert overview(database, old).unit is Unit.MONTH
    assert overview(database, old, Wanted(Period.QUARTER)).unit is Unit.DAY
    assert overview(database, old, Wanted(Period.YEAR)).unit is Unit.MONTH


def test_a_history_is_two_queries_whatever_its_length(database: Database, statements: Callable[[], list[str]]) -> None:
    person, _ = stored(database, [Told(NOON - timedelta(hours=n), reason="2") for n in range(40)])
    statements()
    with database.reading() as session:
        overview_of(session, person, Wanted(), TODAY)
        slice_of(session, person, Wanted(), None)
    assert [one.split()[0] for one in statements()] in (["SELECT"] * 2, ["BEGIN", *["SELECT"] * 2])


@pytest.fixture
def statements(database: Database) -> Callable[[], list[str]]:
    """Return what was asked of the database since the last call."""
    kept: list[str] = []
    event.listen(database.engine, "before_cursor_execute", lambda *args: kept.append(args[2]))

    def since() -> list[str]:
        found = list(kept)
        kept.clear()
        return found

    return since


@pytest.mark.parametrize(
    ("period", "today", "first"),
    [
        (Period.EVERYTHING, TODAY, None),
        (Period.MONTH, date(2026, 3, 30), date(2026, 3, 1)),
        (Period.QUARTER, date(2026, 3, 31), date(2026, 1, 1)),
        (Period.YEAR, date(2026, 3, 31), date(2025, 4, 1)),
        (Period.YEAR, date(2026, 12, 5), date(2026, 1, 1)),
    ],
)
def test_a_period_begins_where_it_says(period: Period, today: date, first: date | None) -> None:
    assert first_day(period, today) == first


def test_a_period_begins_at_midnight_of_the_person_s_zone() -> None:
    at = since_of(Period.MONTH, date(2026, 3, 30), "Asia/Tokyo")
    assert at is not None
    assert at.astimezone(UTC) == datetime(2026, 2, 28, 15, tzinfo=UTC)
    assert since_of(Period.EVERYTHING, TODAY, "UTC") is None


def shown(topic: str = "b", **counts: Any) -> BeliefShown:
    return BeliefShown("replaces", topic, Tally(**counts), uuid4(), TODAY)


GOOD, BAD, FEW = Tally(10, 9), Tally(10, 2), Tally(2, 0)


@pytest.mark.parametrize(
    ("overview", "why", "topic"),
    [
        (Overview(), Why.BEGIN, ""),
        (Overview(20, topics={"a": BAD, "b": GOOD}, beliefs=(shown(attempts=2),)), Why.BELIEF, "b"),
        (Overview(20, topics={"a": BAD, "b": GOOD}, beliefs=(shown(attempts=1, certain=1),)), Why.BELIEF, "b"),
        (Overview(20, topics={"a": BAD, "b": GOOD}, beliefs=(shown(attempts=1),)), Why.WEAK, "a"),
        (Overview(20, topics={"a": BAD, "b": GOOD}, beliefs=(shown("gone", attempts=4),)), Why.WEAK, "a"),
        (Overview(20, topics={"gone": BAD, "b": GOOD}), Why.UNTRIED, "a"),
        (Overview(12, topics={"a": FEW, "b": GOOD}), Why.GO_ON, ""),
        (Overview(12, topics={"b": GOOD}), Why.UNTRIED, "a"),
    ],
)
def test_advice_goes_from_beliefs_to_weak_topics_to_new_ones(overview: Overview, why: Why, topic: str) -> None:
    found = advise(overview, ["a", "b"])
    assert (found.why, found.topic) == (why, topic)
    assert (found.belief is not None) == (why is Why.BELIEF)


def test_advice_never_leads_out_of_the_bank() -> None:
    assert advise(Overview(3, topics={"gone": BAD}, beliefs=(shown("gone", attempts=9),)), []) == Advice(Why.GO_ON)


@given(
    strategies.dictionaries(
        strategies.sampled_from("abcde"),
        strategies.integers(0, 20).flatmap(
            lambda n: strategies.builds(Tally, strategies.just(n), strategies.integers(0, n))
        ),
    )
)
def test_the_weakest_topic_has_enough_answers_and_room_to_grow(topics: dict[str, Tally]) -> None:
    found = weakest(Overview(1, topics=topics))
    able = [one for one in topics.values() if one.attempts >= 5 and one.right / one.attempts < 0.8]
    assert (found is None) == (not able)
    assert found is None or topics[found] in able


def test_what_costs_too_little_is_not_spoken_of() -> None:
    assert costliest(Overview()) is None
    assert costliest(Overview(1, beliefs=(shown(attempts=1),))) is None
    belief = shown(attempts=1, certain=1)
    assert costliest(Overview(1, beliefs=(belief,))) == belief


def test_a_belief_held_as_certain_comes_before_one_shown_more_often(database: Database) -> None:
    person, _ = stored(database, [Told(reason="2", confidence=Confidence.CERTAIN, topic="leaves"), Told(reason="2")])
    (belief,) = overview(database, person).beliefs
    assert belief.weight == (3, 1)
    assert belief.tally.attempts == 2
