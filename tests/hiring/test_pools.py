"""Publishing: every variant of the pool was checked, filling can be cut off, and what cannot be used is said."""

from dataclasses import replace

import pytest
from sqlalchemy import select

from app.bank.evidence import read_reading
from app.errors import UnavailableError
from app.hiring.pools import VARIANTS_PER_ITEM, NotPublishableError, next_to_fill, start_publishing
from app.hiring.quizzes import QuizFrozenError, SlotSpec, change_quiz, set_slots, settings_of
from app.models import Quiz
from app.models.quiz import pool_of, whole_variants
from tests.fakes import FakeSandbox
from tests.hiring.content import NOW, Hiring


def test_published_quiz_has_a_pool_of_checked_variants(hiring: Hiring) -> None:
    quiz_id = hiring.published(SlotSpec(item_id="a-square"), SlotSpec(level=2))
    with hiring.database.reading() as session:
        pool = pool_of(session, quiz_id)
        whole = whole_variants(session, [one.id for one in pool])
    assert {one.item_id for one in pool} == {"a-square", "two-terms"}
    assert len(pool) == 2 * VARIANTS_PER_ITEM
    for one in whole.values():
        k = one.variant["parameters"]["k"]
        (value,) = read_reading(one.reading).key.values
        assert value.value == {
            "tensor": {"shape": [], "dtype": "float32", "values": 2 * k + (one.item_id == "two-terms")}
        }
    assert hiring.quiz(quiz_id).pool_wanted == len(pool)


def test_filling_that_was_cut_off_goes_on_and_runs_nothing_twice(hiring: Hiring, fake: FakeSandbox) -> None:
    quiz_id = hiring.draft(SlotSpec(item_id="a-square"), SlotSpec(item_id="a-cube"))
    with hiring.database.writing() as session:
        start_publishing(session, session.get_one(Quiz, quiz_id), hiring.bank, hiring.actor, NOW)

    def fail_in_the_second_item() -> None:
        with hiring.database.reading() as session:
            if len(pool_of(session, quiz_id)) > VARIANTS_PER_ITEM:
                fake.failure = UnavailableError("away")

    fake.before = fail_in_the_second_item
    with pytest.raises(UnavailableError):
        hiring.fill(quiz_id)
    assert hiring.quiz(quiz_id).state == "publishing"
    assert next_to_fill(hiring.database) == quiz_id
    fake.before = fake.failure = None
    added = hiring.fill(quiz_id)
    assert added == 2 * VARIANTS_PER_ITEM - (VARIANTS_PER_ITEM + 1)
    assert hiring.quiz(quiz_id).state == "published"
    assert next_to_fill(hiring.database) is None


def test_item_whose_run_contradicts_its_file_takes_the_quiz_back_and_is_named(
    hiring: Hiring, fake: FakeSandbox
) -> None:
    wrong = hiring.bank.item("a-square").model_copy(update={"expect": "3 * $k"})
    hiring.bank = type(hiring.bank)({"a-square": wrong}, hiring.bank.topics, hiring.bank.misconceptions)
    quiz_id = hiring.draft()
    with hiring.database.writing() as session:
        start_publishing(session, session.get_one(Quiz, quiz_id), hiring.bank, hiring.actor, NOW)
    hiring.fill(quiz_id)
    quiz = hiring.quiz(quiz_id)
    assert quiz.state == "draft"
    assert "`a-square`" in quiz.problem


def test_item_whose_key_can_be_learnt_by_heart_is_not_used(hiring: Hiring) -> None:
    fixed = hiring.bank.item("a-square").model_copy(update={"parameters": {"k": (2.0,)}})
    hiring.bank = type(hiring.bank)({"a-square": fixed}, hiring.bank.topics, hiring.bank.misconceptions)
    quiz_id = hiring.draft()
    with hiring.database.writing() as session:
        start_publishing(session, session.get_one(Quiz, quiz_id), hiring.bank, hiring.actor, NOW)
    hiring.fill(quiz_id)
    assert "by heart" in hiring.quiz(quiz_id).problem


@pytest.mark.parametrize("specs", [(), (SlotSpec(level=3),), (SlotSpec(level=2, count=2),)])
def test_draft_that_asks_more_than_there_is_is_not_published(hiring: Hiring, specs: tuple[SlotSpec, ...]) -> None:
    quiz_id = hiring.draft(*specs) if specs else hiring.draft(SlotSpec(level=1))
    with hiring.database.writing() as session:
        quiz = session.get_one(Quiz, quiz_id)
        if not specs:
            set_slots(session, quiz, hiring.actor, NOW, specs=(), bank=hiring.bank)
        with pytest.raises(NotPublishableError):
            start_publishing(session, quiz, hiring.bank, hiring.actor, NOW)
        assert quiz.state == "draft"


def test_published_quiz_keeps_what_it_asks_and_changes_what_is_shown(hiring: Hiring) -> None:
    quiz_id = hiring.published()
    with hiring.database.writing() as session:
        quiz = session.get_one(Quiz, quiz_id)
        settings = settings_of(quiz)
        with pytest.raises(QuizFrozenError, match="minutes"):
            change_quiz(session, quiz, hiring.actor, replace(settings, minutes=31), NOW)
        with pytest.raises(QuizFrozenError):
            set_slots(session, quiz, hiring.actor, NOW, specs=(), bank=hiring.bank)
        change_quiz(session, quiz, hiring.actor, replace(settings, show_score="after_submit"), NOW)
    with hiring.database.reading() as session:
        assert session.scalar(select(Quiz.show_score).where(Quiz.id == quiz_id)) == "after_submit"


def test_quiz_whose_items_share_their_misconceptions_is_not_published(hiring: Hiring) -> None:
    quiz_id = hiring.draft(SlotSpec(item_id="two-terms"), SlotSpec(level=1, count=3))  # two of three share one
    with hiring.database.writing() as session:
        start_publishing(session, session.get_one(Quiz, quiz_id), hiring.bank, hiring.actor, NOW)
    hiring.fill(quiz_id)
    assert hiring.quiz(quiz_id).state == "draft"
    assert "differ in their misconceptions" in hiring.quiz(quiz_id).problem
    allowed = hiring.published(SlotSpec(item_id="two-terms"), SlotSpec(level=1, count=3), repeat_misconceptions=True)
    assert hiring.quiz(allowed).state == "published"
