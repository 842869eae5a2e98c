"""Which items to talk about: each rule by an example, and what holds whatever was answered."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.grading.grade import Confidence
from app.hiring.interview_sheet import Answered, Why, choose

GUESS, FAIRLY, CERTAIN = Confidence
PLACES = itertools.count(1)


def one(right: int = 0, of: int = 1, sure: Confidence | None = None, **more: object) -> Answered:
    facts: dict[str, object] = {"position": next(PLACES), "answered": True} | more
    return Answered(right_parts=right, parts=of, confidence=sure, **facts)  # type: ignore[arg-type]  # mixed values


@pytest.mark.parametrize(
    ("answered", "why"),
    [
        (one(sure=CERTAIN), Why.CONFIDENTLY_WRONG),
        (one(sure=FAIRLY), Why.CONFIDENTLY_WRONG),
        (one(1, 3, CERTAIN), Why.PARTLY_RIGHT),
        (one(1, 1, GUESS), Why.RIGHT_BUT_A_GUESS),
        (one(1, 1), Why.RIGHT),
        (one(sure=GUESS), Why.WRONG),
        (one(), Why.WRONG),
        (one(answered=False), Why.LEFT_EMPTY),
    ],
)
def test_answer_is_worth_talking_about_for_one_reason(answered: Answered, why: Why) -> None:
    assert answered.why is why


def test_order_is_confident_and_wrong_then_partly_right_then_guessed() -> None:
    wrong, empty, right = one(), one(answered=False), one(1, 1, CERTAIN)
    guessed, partly, fairly, certain = one(1, 1, GUESS), one(1, 2), one(sure=FAIRLY), one(sure=CERTAIN)
    listed = [right, empty, wrong, guessed, partly, fairly, certain]
    assert choose(listed, 7) == (certain, fairly, partly, guessed, wrong, empty, right)
    assert choose(listed) == (certain, fairly, partly)


def test_among_equals_a_misconception_goes_first_then_what_can_be_run_then_the_level() -> None:
    plain, deep, run, held = one(), one(level=3), one(runnable=True), one(misconceptions=("replaces",))
    assert choose([plain, deep, run, held], 4) == (held, run, deep, plain)


def test_misconception_is_talked_about_once_while_there_is_anything_else() -> None:
    first, second = one(sure=CERTAIN, misconceptions=("replaces",)), one(sure=CERTAIN, misconceptions=("replaces",))
    both, right = one(sure=FAIRLY, misconceptions=("replaces", "keeps")), one(1, 1, CERTAIN)
    assert choose([first, second, both, right]) == (first, both, right)
    assert choose([first, second]) == (first, second)


ANSWERED = st.builds(
    Answered,
    position=st.integers(1, 50),
    answered=st.booleans(),
    right_parts=st.integers(0, 3),
    parts=st.just(3),
    confidence=st.sampled_from([None, *Confidence]),
    misconceptions=st.lists(st.sampled_from("abc"), unique=True, max_size=2).map(tuple),
    runnable=st.booleans(),
    level=st.integers(1, 3),
)


@given(st.lists(ANSWERED, max_size=12, unique_by=lambda one: one.position), st.randoms())
def test_choice_is_three_or_all_and_does_not_depend_on_the_order(listed: list[Answered], chance: object) -> None:
    chosen = choose(listed)
    assert len(chosen) == min(3, len(listed))
    assert set(chosen) <= set(listed)
    chance.shuffle(listed)  # type: ignore[attr-defined]  # a `random.Random` of hypothesis
    assert choose(listed) == chosen
