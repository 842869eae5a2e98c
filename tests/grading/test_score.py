"""Scores of some items, with a standard error that is what resampling the items gives."""

import random
import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.grading.score import Marked, by_group, difference, score

MARKED = st.lists(st.builds(Marked, st.floats(0, 1), st.floats(0.1, 100)), max_size=30)


def test_points_weigh_credits() -> None:
    total = score([Marked(1, 3), Marked(0, 1), Marked(0.5, 2)])
    assert (total.earned, total.possible) == (4, 6)
    assert total.share == pytest.approx(2 / 3)


def test_error_of_equal_items_is_that_of_a_mean() -> None:
    earned = [1, 0, 1, 1, 0, 0.5]
    expected = statistics.stdev(earned) / len(earned) ** 0.5
    assert score([Marked(one, 2) for one in earned]).standard_error == pytest.approx(expected)


def test_error_of_weighted_items_is_what_resampling_them_shows() -> None:
    marked = [Marked(place % 3 / 2, 1 + place % 4) for place in range(60)]
    chance = random.Random(3)
    shares = [score(chance.choices(marked, k=len(marked))).share for _ in range(4000)]
    assert score(marked).standard_error == pytest.approx(statistics.stdev(shares), rel=0.06)


def test_one_item_and_none_have_no_error() -> None:
    assert score([]).share == 0
    assert score([]).standard_error is None
    assert score([Marked(1, 1)]).standard_error is None


@given(MARKED)
def test_share_and_error_stay_in_range(marked: list[Marked]) -> None:
    total = score(marked)
    assert 0 <= total.share <= 1 + 1e-9
    assert total.standard_error is None or 0 <= total.standard_error <= 1


def test_groups_keep_their_order_and_add_up() -> None:
    groups = by_group([("b", Marked(1, 1)), ("a", Marked(0, 2)), ("b", Marked(0, 1))])
    assert list(groups) == ["b", "a"]
    assert (groups["b"].earned, groups["b"].possible) == (1, 2)


def marks(*credits_earned: float, points: float = 1.0, first: int = 0) -> dict[str, Marked]:
    return {f"item-{place}": Marked(one, points) for place, one in enumerate(credits_earned, first)}


def test_difference_over_the_same_items_is_judged_item_by_item() -> None:
    found = difference(marks(1, 1, 0, 1), marks(0, 1, 0, 0))
    assert found.value == 0.5
    # Differences 1 0 0 1 around 0.5: squares sum to 1, so √(4 / 3) / 4.
    assert found.standard_error == pytest.approx((4 / 3) ** 0.5 / 4)
    assert found.within_error


def test_difference_over_other_items_adds_both_errors() -> None:
    one, other = marks(1, 1, 1, 0), marks(0, 0, 1, 0, first=9)
    found = difference(one, other)
    assert found.value == 0.5
    assert found.standard_error == pytest.approx((2 * 0.25**2) ** 0.5)
    assert found.within_error


def test_difference_of_every_item_is_beyond_error() -> None:
    assert not difference(marks(1, 1, 1), marks(0, 0, 0)).within_error


def test_one_item_tells_nobody_apart() -> None:
    found = difference(marks(1), marks(0))
    assert (found.value, found.standard_error, found.within_error) == (1, None, True)


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), max_size=20))
def test_difference_turns_its_sign_and_is_that_of_the_shares(pairs: list[tuple[float, float]]) -> None:
    one, other = marks(*(left for left, _ in pairs)), marks(*(right for _, right in pairs))
    there, back = difference(one, other), difference(other, one)
    assert there.value == pytest.approx(-back.value)
    assert there.value == pytest.approx(score(one.values()).share - score(other.values()).share)
