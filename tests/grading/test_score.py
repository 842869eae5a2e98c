"""Scores of some items, with a standard error that is what resampling the items gives."""

import random
import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.grading.score import Marked, by_group, score

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
