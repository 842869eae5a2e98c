"""Questions to the bank, and that nothing in it can be changed."""

from dataclasses import FrozenInstanceError
from pathlib import Path

import pytest
from pydantic import ValidationError

from app.bank.catalog import NoItemError, misconceptions_of
from tests.bank.content import ALL, EDGE, TRUE_FALSE, bank_of, item_of


def test_filters_combine(tmp_path: Path) -> None:
    bank = bank_of(tmp_path, *ALL)
    assert [item.id for item in bank.select(topic="leaves")] == ["three-leaves", "a-sum-of-paths"]
    assert [item.id for item in bank.select(topic="leaves", level=3)] == ["a-sum-of-paths"]
    assert [item.id for item in bank.select(kind="true_false")] == ["two-passes"]
    assert [item.id for item in bank.select(misconception="zero-is-none")] == ["three-leaves"]
    assert len(bank.select()) == 4


def test_retracted_and_superseded_items_stay_readable_but_are_not_selected(tmp_path: Path) -> None:
    old = TRUE_FALSE.replace("level: 1", "level: 1\nsuperseded_by: three-leaves")
    bank = bank_of(tmp_path, old, EDGE.replace("level: 2", "level: 2\nstatus: retracted"))
    assert bank.select() == ()
    assert len(bank.select(current=False)) == 2
    assert bank.item("two-passes").superseded_by == "three-leaves"


def test_unknown_item_is_not_found(tmp_path: Path) -> None:
    bank = bank_of(tmp_path)
    assert bank.get("nobody") is None
    with pytest.raises(NoItemError):
        bank.item("nobody")


def test_topics_and_misconceptions_have_their_words(tmp_path: Path) -> None:
    bank = bank_of(tmp_path)
    leaves = bank.topic("leaves")
    assert leaves is not None
    assert leaves.title == "Leaves"
    assert bank.topic("cookery") is None
    assert bank.misconceptions["zero-is-none"].axis == "grad recording"


def test_misconceptions_of_options_and_item_are_listed_once() -> None:
    assert misconceptions_of(item_of(TRUE_FALSE)) == ("backward-overwrites",)


def test_bank_and_items_cannot_be_changed(tmp_path: Path) -> None:
    bank = bank_of(tmp_path, TRUE_FALSE)
    with pytest.raises(FrozenInstanceError):
        bank.topics = ()  # type: ignore[misc]  # the assignment is what is tested
    with pytest.raises(TypeError):
        bank.items["x"] = bank.item("two-passes")  # type: ignore[index]  # the assignment is what is tested
    with pytest.raises(ValidationError):
        bank.item("two-passes").level = 3  # type: ignore[misc]  # the assignment is what is tested
