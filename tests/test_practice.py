"""The order in which items come, and which variant is shown where no fresh one can be run."""

import uuid
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path

import pytest

from app.bank.catalog import Bank
from app.bank.item import Item
from app.bank.loader import load
from app.bank.variants import draw
from app.errors import UnavailableError
from app.livecheck import LiveCheck
from app.models.attempt import LastAttempt
from app.practice import Filter, NotRunError, choose_next, matching, open_item
from app.sandbox.client import SandboxAwayError, SandboxBusyError
from tests.banks import ITEMS, write_bank
from tests.fakes import FakeSandbox

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.fixture
def bank(tmp_path: Path) -> Bank:
    return load(write_bank(tmp_path / "bank"))


@pytest.fixture
def items(bank: Bank) -> list[Item]:
    return list(bank.select())


def last(credit: float, minutes_ago: int) -> LastAttempt:
    return LastAttempt("any", credit, NOON - timedelta(minutes=minutes_ago), {"credit": credit, "parts": []})


def chosen(items: list[Item], attempts: dict[str, LastAttempt], after: str = "", doubtful: tuple[str, ...] = ()) -> str:
    item = choose_next(items, attempts, after, doubtful)
    assert item is not None
    return item.id


def test_new_items_come_first_in_the_order_of_the_list(items: list[Item]) -> None:
    first, second = items[0].id, items[1].id
    assert chosen(items, {}) == first
    assert chosen(items, {first: last(0, 500)}) == second


def test_what_was_wrong_comes_before_what_was_right_and_the_longest_unseen_first(items: list[Item]) -> None:
    names = [item.id for item in items]
    attempts = {name: last(1, 10 * place) for place, name in enumerate(names)}
    assert chosen(items, attempts) == names[-1]
    attempts[names[2]] = last(0.5, 1)
    assert chosen(items, attempts) == names[2]
    attempts[names[1]] = last(0, 2)
    assert chosen(items, attempts) == names[1]


def test_the_one_just_answered_comes_again_only_where_there_is_no_other(items: list[Item]) -> None:
    first, second = items[0].id, items[1].id
    assert chosen(items, {}, after=first) == second
    assert chosen(items[:2], {second: last(1, 1)}, after=first) == second
    assert chosen(items[:1], {}, after=first) == first


def test_doubtful_item_comes_last_of_all(items: list[Item]) -> None:
    names = [item.id for item in items]
    seen = {name: last(1, 1) for name in names[1:]}
    assert chosen(items, seen, doubtful=(names[0],)) in names[1:]
    assert chosen(items[:2], {names[1]: last(1, 1)}, after=names[1], doubtful=(names[0],)) == names[1]
    assert chosen(items[:1], {}, doubtful=(names[0],)) == names[0]


def test_nothing_comes_next_of_nothing() -> None:
    assert choose_next([], {}) is None


def test_list_is_in_order_of_level_and_holds_what_the_filter_leaves(bank: Bank, fake: FakeSandbox) -> None:
    livecheck = LiveCheck(fake)
    levels = [item.level for item in matching(bank, Filter(), livecheck)]
    assert len(levels) == len(ITEMS)
    assert all(one <= other for one, other in pairwise(levels))
    assert {item.id for item in matching(bank, Filter(kind="why"), livecheck)} == {"a-square-and-more"}
    assert matching(bank, Filter(topic="elsewhere"), livecheck) == []


def test_fresh_variant_is_run_before_it_is_shown(bank: Bank, fake: FakeSandbox) -> None:
    item = bank.item("three-leaves")
    opening = open_item(LiveCheck(fake), item, uuid.uuid4(), NOON)
    assert fake.jobs == 1
    assert opening.problem is None
    assert opening.variant == draw(item, opening.token.sub_seed)


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (SandboxAwayError("away", retry_after=7), "the sandbox is away"),
        (SandboxBusyError("busy", retry_after=7), "many checks are running"),
    ],
)
def test_item_of_which_nothing_was_run_is_not_shown(
    bank: Bank, fake: FakeSandbox, error: UnavailableError, said: str
) -> None:
    livecheck = LiveCheck(fake)
    livecheck.refresh_health()
    fake.failure = error
    with pytest.raises(NotRunError, match="No item is shown before it was run") as refused:
        open_item(livecheck, bank.item("three-leaves"), uuid.uuid4(), NOON)
    assert refused.value.retry_after == 7
    assert said in refused.value.message


def test_variant_that_was_run_stands_in_while_no_fresh_one_can_be(bank: Bank, fake: FakeSandbox) -> None:
    livecheck, item = LiveCheck(fake), bank.item("three-leaves")
    run = draw(item, 5)
    livecheck.check(run)
    fake.failure = SandboxAwayError("away")
    shown = [open_item(livecheck, item, uuid.uuid4(), NOON) for _ in range(20)]
    assert {opening.variant.parameters["factor"] for opening in shown} == {run.parameters["factor"]}
    assert all(opening.variant == draw(item, opening.token.sub_seed) for opening in shown)
    assert len({opening.token.nonce for opening in shown}) == len(shown)
    assert any(isinstance(opening.problem, SandboxAwayError) for opening in shown)
