"""Item statistics of a real quiz: who counts, what was chosen, and figures worked out by hand."""

import math
from collections.abc import Sequence
from datetime import timedelta
from uuid import UUID

import pytest

from app.hiring import closing
from app.hiring.item_statistics import QuizStatistics, statistics_of
from app.hiring.quizzes import SlotSpec
from app.models import Quiz, QuizSession
from tests.hiring.content import NOW, Hiring
from tests.hiring.test_quiz_sessions import answer_of, page, write

SLOTS = (SlotSpec(item_id="a-square"), SlotSpec(item_id="a-cube"), SlotSpec(item_id="two-terms"))
PATTERN = ([1, 1, 1], [1, 1, 0], [1, 0, 0], [0, 0, 0])


def taken(hiring: Hiring, quiz_id: UUID, row: Sequence[int], email: str = "", later: int = 0) -> UUID:
    """Let somebody enter what is right (1) or wrong (0), or nothing (-1), and hand in."""
    at = NOW + timedelta(minutes=later)
    session_id = hiring.started(quiz_id, at, email=email)
    for position, right in enumerate(row, 1):
        if right >= 0:
            entry = answer_of(hiring, session_id, position) if right else "0.125"
            write(hiring, session_id, (page(hiring, session_id, at, position), 1), entry, at, position=position)
    closing.finish(hiring.database, session_id, at, submitted=True)
    return session_id


def statistics(hiring: Hiring, quiz_id: UUID) -> QuizStatistics:
    with hiring.database.reading() as session:
        return statistics_of(session, session.get_one(Quiz, quiz_id))


def test_figures_of_a_quiz_are_those_of_its_table(hiring: Hiring) -> None:
    quiz_id = hiring.published(*SLOTS, repeat_misconceptions=True, shuffled=False)
    for row in PATTERN:
        taken(hiring, quiz_id, row)
    found = statistics(hiring, quiz_id)
    assert (found.people, found.again, found.places, found.drawn) == (4, 0, 3, False)
    assert [one.item_id for one in found.items] == ["a-square", "a-cube", "two-terms"]
    assert [one.difficulty and one.difficulty.value for one in found.items] == [0.75, 0.5, 0.25]
    # Worked out in tests/grading/test_item_analysis.py: the same pattern.
    assert found.reliability is not None
    assert found.reliability.value == pytest.approx(0.75)
    second = found.items[1].discrimination
    assert second is not None
    assert second.value == pytest.approx(math.sqrt(0.5))


def test_only_the_first_ended_attempt_of_an_address_counts(hiring: Hiring) -> None:
    quiz_id = hiring.published(*SLOTS, repeat_misconceptions=True)
    taken(hiring, quiz_id, [0, 0, 0], "ada@example.org")
    taken(hiring, quiz_id, [1, 1, 1], "ada@example.org", later=5)
    taken(hiring, quiz_id, [1, 1, 1])
    taken(hiring, quiz_id, [1, 1, 1])  # no address: somebody else
    hiring.started(quiz_id, email="bo@example.org")  # has not ended
    found = statistics(hiring, quiz_id)
    assert (found.people, found.again) == (3, 1)
    assert found.items[0].difficulty is not None
    assert found.items[0].difficulty.value == pytest.approx(2 / 3)


def test_typed_values_are_counted_as_right_other_or_empty(hiring: Hiring) -> None:
    quiz_id = hiring.published(SlotSpec(item_id="a-square"))
    for entered in (1, 1, 0, -1):
        taken(hiring, quiz_id, [entered])
    (part,) = statistics(hiring, quiz_id).items[0].parts
    counts = {one.option: (one.chosen, one.right) for one in part.options}
    assert counts == {"right": (2, 2), "other": (1, 0), "": (1, 0)}


def test_draw_says_that_people_had_different_items(hiring: Hiring) -> None:
    draw = SlotSpec(topic="basics", count=2)
    quiz_id = hiring.published(draw, repeat_misconceptions=True)
    for number in range(8):
        taken(hiring, quiz_id, [1, number % 2])
    found = statistics(hiring, quiz_id)
    assert (found.people, found.places, found.drawn) == (8, 2, True)
    assert sum(one.difficulty.count for one in found.items if one.difficulty) == 16


def test_quiz_that_nobody_took_has_no_figures(hiring: Hiring) -> None:
    found = statistics(hiring, hiring.published(SlotSpec(item_id="a-square")))
    assert (found.people, found.items, found.score, found.reliability) == (0, (), None, None)


def test_session_of_an_older_revision_is_read_in_its_newest(hiring: Hiring) -> None:
    quiz_id = hiring.published(SlotSpec(item_id="a-square"))
    session_id = taken(hiring, quiz_id, [1])
    with hiring.database.writing() as session:
        session.get_one(QuizSession, session_id).to_grade = True
    closing.finish(hiring.database, session_id, NOW)
    found = statistics(hiring, quiz_id)
    assert found.items[0].difficulty is not None
    assert found.items[0].difficulty.count == 1
