"""Item statistics against values worked out by hand, against numpy, and for what must hold of any sittings."""

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from app.grading.item_analysis import Sitting, cronbach_alpha, difficulty, discrimination
from app.grading.score import Marked

# Four people and three items in a Guttman pattern.
#            one two three
TABLE: list[list[float]] = [[1, 1, 1], [1, 1, 0], [1, 0, 0], [0, 0, 0]]
NAMES = ("one", "two", "three")


def sittings_of(table: list[list[float]], points: float = 1.0) -> list[Sitting]:
    return [{name: Marked(credit, points) for name, credit in zip(NAMES, row, strict=False)} for row in table]


def test_difficulty_is_the_mean_credit_with_its_error() -> None:
    found = difficulty([1, 1, 1, 0])
    assert found is not None
    # Deviations 0.25 three times and 0.75: squares sum to 0.75, so the variance is 0.25 and the error √(0.25 / 4).
    assert (found.value, found.count) == (0.75, 4)
    assert found.standard_error == pytest.approx(0.25)
    assert difficulty([]) is None
    assert difficulty([1]) is not None


def test_discrimination_is_against_the_rest_without_the_item() -> None:
    found = discrimination("two", sittings_of(TABLE))
    assert found is not None
    # Item two: 1 1 0 0. The rest: 1, 0.5, 0.5, 0. Products of deviations 0.25 + 0 + 0 + 0.25 = 0.5; spreads 1 and 0.5.
    assert found.value == pytest.approx(0.5 / math.sqrt(0.5))
    assert found.standard_error == pytest.approx((1 - 0.5) / math.sqrt(3))
    assert found.count == 4


def test_discrimination_rests_on_those_who_were_asked_the_item_and_another() -> None:
    drawn = sittings_of(TABLE)
    drawn += [{"one": Marked(1, 1), "three": Marked(0, 1)}, {"two": Marked(1, 1)}]
    found = discrimination("two", drawn)
    assert found is not None
    assert found.count == 4


def test_nothing_is_said_where_nothing_varies() -> None:
    assert discrimination("one", sittings_of([[1, 0], [1, 1], [1, 0]])) is None
    assert discrimination("one", sittings_of([[1, 1], [0, 1], [1, 1]])) is None
    assert discrimination("one", sittings_of([[1, 0], [0, 1]])) is None
    assert cronbach_alpha([[1, 0], [0, 1], [1, 0]]) is None
    assert cronbach_alpha([[1], [0], [1]]) is None
    assert cronbach_alpha([]) is None


def test_alpha_of_the_pattern_is_three_quarters() -> None:
    found = cronbach_alpha(TABLE)
    assert found is not None
    # Variances 0.25 + 1/3 + 0.25 = 5/6; totals 3 2 1 0 have 5/3. So 3/2 (1 - 1/2).
    assert found.value == pytest.approx(0.75)
    assert found.standard_error == pytest.approx(0.25 * math.sqrt(6 / 8))


def test_alpha_of_copies_of_one_item_is_one() -> None:
    found = cronbach_alpha([[1, 1, 1], [0, 0, 0], [0.5, 0.5, 0.5]])
    assert found is not None
    assert found.value == pytest.approx(1)


TABLES = st.integers(2, 6).flatmap(
    lambda places: st.lists(
        st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0]), min_size=places, max_size=places), min_size=3, max_size=30
    )
)


@given(TABLES)
def test_alpha_is_what_numpy_computes_from_the_covariances(table: list[list[float]]) -> None:
    found, data = cronbach_alpha(table), np.array(table)
    if found is None:
        assert np.var(data.sum(axis=1)) == pytest.approx(0)
        return
    covariances = np.cov(data, rowvar=False)
    places = data.shape[1]
    assert found.value == pytest.approx(places / (places - 1) * (1 - np.trace(covariances) / covariances.sum()))
    assert found.value <= 1 + 1e-9


@given(st.lists(st.lists(st.sampled_from([0.0, 0.5, 1.0]), min_size=3, max_size=3), min_size=3, max_size=30))
def test_discrimination_is_what_numpy_computes(table: list[list[float]]) -> None:
    data = np.array(table)
    own, rest = data[:, 0], data[:, 1:].mean(axis=1)
    found = discrimination("one", sittings_of(table))
    assume(found is not None)
    assert found is not None
    assert found.value == pytest.approx(np.corrcoef(own, rest)[0, 1])
    assert -1 <= found.value <= 1


@given(st.lists(st.lists(st.sampled_from([0.0, 0.5, 1.0]), min_size=3, max_size=3), min_size=3, max_size=20))
def test_order_of_people_and_size_of_equal_points_change_nothing(table: list[list[float]]) -> None:
    once = discrimination("one", sittings_of(table))
    again = discrimination("one", sittings_of(table[::-1], points=4.0))
    assert (once is None) == (again is None)
    if once is not None and again is not None:
        assert again.value == pytest.approx(once.value)
