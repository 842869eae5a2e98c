"""Which misconceptions a response shows, for items of each kind."""

from typing import Any

import pytest

from app.bank.evidence import Key
from app.bank.item import Item, read_item
from app.grading.grade import Response
from app.grading.misconceptions import misconception_of, shown_by
from app.sandbox.protocol import Observation
from tests.banks import ITEMS


def item_of(name: str, **changes: Any) -> Item:
    return read_item({"id": name, "topic": "basics", **ITEMS[name], **changes})


TWO_TIER = Key({"verdict": ("false",), "reason": ("1",)})
MATRIX = Key({"bug-1": ("1",), "bug-2": ("2",)})


@pytest.mark.parametrize(
    ("name", "key", "choices", "shown"),
    [
        ("two-walks", TWO_TIER, {"verdict": "true", "reason": "2"}, ("replaces",)),
        ("two-walks", TWO_TIER, {"verdict": "true", "reason": "1"}, ()),  # its option names none
        ("two-walks", Key({"verdict": ("true",), "reason": ("2",)}), {"verdict": "true", "reason": "2"}, ()),
        ("one-slope-two-bugs", MATRIX, {"bug-1": "2", "bug-2": "2"}, ("keeps",)),  # right for one bug, wrong for one
        ("one-slope-two-bugs", MATRIX, {"bug-1": "none"}, ()),
        ("two-walks", TWO_TIER, {}, ()),
    ],
)
def test_wrong_option_shows_the_misconception_that_its_author_names(
    name: str, key: Key, choices: dict[str, str], shown: tuple[str, ...]
) -> None:
    assert shown_by(item_of(name), Response(choices), key) == shown


def test_distractor_is_counted_after_the_expected_value() -> None:
    item = item_of("a-choice-of-values", distractors=[{"value": None}, {"value": 11.5, "misconception": "replaces"}])
    assert misconception_of(item, "value", "1") is None
    assert misconception_of(item, "value", "2") is None
    assert misconception_of(item, "value", "3") == "replaces"


TYPED = item_of(
    "three-leaves",
    parameters={},
    snippet="a = b = c = torch.ones(())\n",
    expect=[9.0, None],
    distractors=[{"value": ["2.0 * 3.0", 0.0], "misconception": "replaces"}],
)
TYPED_KEY = Key({}, (Observation(9.0), Observation(None)))


@pytest.mark.parametrize(
    ("entries", "shown"),
    [
        (("6", "0.0"), ("replaces",)),
        (("6", "1.0"), ()),  # one value of the distractor is not all of it
        (("9", "None"), ()),
        (("6", "what?"), ()),
        (("", ""), ()),
    ],
)
def test_typed_values_of_a_distractor_show_its_misconception(entries: tuple[str, ...], shown: tuple[str, ...]) -> None:
    assert shown_by(TYPED, Response({}, entries), TYPED_KEY) == shown
