"""The history: a person's own attempts, a page at a time, and nobody else's."""

import re

import httpx
import pytest

from app.history.listing import PAGE
from tests.live import LiveSite, words_of
from tests.practising import answer, attempts


def test_reload_and_reopening_show_the_same_reveal(live: LiveSite, visitor: httpx.Client) -> None:
    address = answer(visitor).headers["location"]
    first = words_of(visitor.get(address))
    assert words_of(visitor.get(address)) == first
    assert address in visitor.get("/history").text
    assert attempts(live) == 1


def test_attempt_of_another_person_is_not_found(live: LiveSite, visitor: httpx.Client) -> None:
    address = answer(visitor).headers["location"]
    with live.visitor() as other:
        assert other.get(address).status_code == 404
        answer(other)
        assert other.get(address).status_code == 404


@pytest.mark.parametrize("path", ["/attempts/x", "/attempts/%00", "/attempts/" + "0" * 32, "/history?page=0"])
def test_address_of_no_attempt_is_not_found(visitor: httpx.Client, path: str) -> None:
    answer(visitor)
    assert visitor.get(path).status_code == 404


@pytest.mark.parametrize("page", ["x", "-1", "99", "9" * 50, "%ff", "²"])
def test_page_that_the_history_lacks_is_not_found(visitor: httpx.Client, page: str) -> None:
    answer(visitor)
    assert visitor.get(f"/history?page={page}").status_code == 404


def test_many_attempts_come_a_page_at_a_time_newest_first_and_none_is_lost(
    live: LiveSite, visitor: httpx.Client
) -> None:
    places = [answer(visitor).headers["location"] for _ in range(2 * PAGE + 1)]
    shown: list[str] = []
    address, sizes = "/history", []
    while address:
        page = visitor.get(address)
        rows = list(dict.fromkeys(re.findall(r'href="(/attempts/[^"]+)"', page.text)))
        shown += rows
        sizes.append(len(rows))
        older = re.search(r'href="(/history[?]page=[0-9]+)"[^>]*rel="next"', page.text)
        address = older[1] if older else ""
    assert sizes == [PAGE, PAGE, 1]
    assert shown == places[::-1]
    assert f"{2 * PAGE + 1} attempts" in words_of(page)
    assert visitor.get("/history?page=4").status_code == 404
