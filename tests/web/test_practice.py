"""The practise pages: an answer is checked, stored and revealed; whatever refuses it keeps what was entered."""

import html
import re
import threading
from copy import deepcopy
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import httpx
import pytest
import time_machine
from sqlalchemy import func, select

from app.clock import now
from app.models import Person
from app.sandbox.client import SandboxAwayError
from app.sandbox.protocol import JobResult, Verdict
from app.settings import Settings
from tests.banks import ITEMS, write_bank
from tests.fakes import FakeSandbox
from tests.live import LiveSite, form_of, running, words_of
from tests.practising import answer, attempts


@pytest.mark.parametrize("item", ITEMS)
def test_answer_is_stored_and_then_revealed(live: LiveSite, visitor: httpx.Client, item: str) -> None:
    response = answer(visitor, item)
    assert response.status_code == 303
    assert attempts(live) == 1
    reveal = visitor.get(response.headers["location"])
    assert reveal.status_code == 200
    assert "torch 2.13.0" in words_of(reveal)


def test_next_brings_new_items_first_and_never_the_one_just_answered(visitor: httpx.Client) -> None:
    seen = []
    for _ in ITEMS:
        address = visitor.get("/practice/next").headers["location"]
        seen.append(address)
        answer(visitor, address.rsplit("/", 1)[1])
    assert len(set(seen)) == len(ITEMS)
    after = seen[0].rsplit("/", 1)[1]
    assert visitor.get(f"/practice/next?after={after}").headers["location"] != seen[0]


@pytest.mark.parametrize(
    ("query", "left"),
    [
        ("", 6),
        ("topic=basics", 6),
        ("kind=why", 1),
        ("level=1", 3),
        ("kind=edge_case&level=1", 2),
        ("kind=why&level=3", 0),
    ],
)
def test_filters_leave_what_they_name(visitor: httpx.Client, query: str, left: int) -> None:
    page = visitor.get(f"/practice?{query}")
    assert (
        sum(f'href="/practice/{item}{f"?{query}" if query else ""}"' in html.unescape(page.text) for item in ITEMS)
        == left
    )


@pytest.mark.parametrize("query", ["topic=nope", "kind=nope", "level=nope", "level=%ff", "level=9"])
def test_unknown_filter_is_named(visitor: httpx.Client, query: str) -> None:
    assert visitor.get(f"/practice?{query}").status_code in {400, 404}


def test_unknown_item_is_not_found(visitor: httpx.Client) -> None:
    for path in ("/practice/nothing-here", "/practice/%00", "/practice/%ff", "/practice/..%2f..%2fetc%2fpasswd"):
        assert visitor.get(path).status_code == 404


def test_get_writes_nothing(live: LiveSite, visitor: httpx.Client) -> None:
    for path in ("/", "/practice", "/practice/next", "/practice/two-walks", "/history", "/patterns"):
        response = visitor.get(path)
        assert response.status_code < 400
    with live.site.database.reading() as session:
        assert session.scalar(select(func.count()).select_from(Person)) == 0


def test_each_opening_is_a_fresh_variant(live: LiveSite, visitor: httpx.Client) -> None:
    pages = [visitor.get("/practice/two-walks") for _ in range(12)]
    tokens = [live.site.signer.read_form(form_of(page).fields["token"]) for page in pages]
    assert len({token.sub_seed for token in tokens}) == 12
    listings = [re.sub(r"<[^>]+>", "", page.text) for page in pages]
    shown = {found for text in listings for found in ("2.0", "3.0") if f"tensor({found}" in text}
    assert shown == {"2.0", "3.0"}


def test_sandbox_away_keeps_the_input_and_the_next_press_works(
    live: LiveSite, visitor: httpx.Client, fake: FakeSandbox
) -> None:
    form = form_of(visitor.get("/practice/a-square-and-more"))
    fake.failure = SandboxAwayError("The sandbox stopped. Press again.", retry_after=1)
    data = form.filled(own_words="my own words", confidence="guess")
    refused = visitor.post(form.action, data=data)
    assert refused.status_code == 503
    assert refused.headers["retry-after"] == "1"
    assert "The sandbox stopped. Press again." in words_of(refused)
    assert attempts(live) == 0
    kept = form_of(refused)
    assert {name: kept.fields[name] for name in data} == data
    fake.failure = None
    again = visitor.post(kept.action, data=kept.fields)
    assert again.status_code == 303
    assert attempts(live) == 1


def test_run_cut_short_is_no_key_and_stores_nothing(live: LiveSite, visitor: httpx.Client, fake: FakeSandbox) -> None:
    form = form_of(visitor.get("/practice/two-walks"))

    def cut(job: JobResult) -> JobResult:
        return replace(job, results=tuple(replace(one, verdict=Verdict.TIME_LIMIT) for one in job.results))

    fake.change = cut
    refused = visitor.post(form.action, data=form.filled())
    assert refused.status_code == 503
    assert attempts(live) == 0
    fake.change = None
    assert visitor.post(form.action, data=form.filled()).status_code == 303


def test_no_transaction_is_open_while_the_sandbox_runs(
    live: LiveSite, visitor: httpx.Client, fake: FakeSandbox
) -> None:
    form = form_of(visitor.get("/practice/two-walks"))
    open_connections = []
    fake.before = lambda: open_connections.append(live.site.database.engine.pool.checkedout())  # type: ignore[attr-defined]  # the queue pool counts
    assert visitor.post(form.action, data=form.filled()).status_code == 303
    assert open_connections == [0]


def test_form_opened_yesterday_comes_back_fresh_with_the_input_kept(live: LiveSite, visitor: httpx.Client) -> None:
    form = form_of(visitor.get("/practice/a-square-and-more"))
    data = form.filled(own_words="kept words")
    with time_machine.travel(now() + timedelta(hours=25)):
        refused = visitor.post(form.action, data=data)
        assert refused.status_code == 409
        assert "opened too long ago" in words_of(refused)
        again = form_of(refused)
        assert again.fields["own_words"] == "kept words"
        assert again.fields["cause"] == data["cause"]
        assert visitor.post(again.action, data=again.fields).status_code == 303
    assert attempts(live) == 1


def test_item_edited_between_page_and_commit_keeps_the_input(
    settings: Settings, fake: FakeSandbox, tmp_path: Path
) -> None:
    with running(settings, fake) as live, live.visitor() as visitor:
        form = form_of(visitor.get("/practice/a-square-and-more"))
    items = deepcopy(ITEMS)
    items["a-square-and-more"]["prompt"] = "Edited since."
    write_bank(settings.bank, items)
    with running(settings, fake) as live, live.visitor() as visitor:
        refused = visitor.post(form.action, data=form.filled(own_words="kept words", confidence="guess"))
        assert refused.status_code == 409
        assert "This item changed meanwhile" in words_of(refused)
        assert "Edited since." in words_of(refused)
        again = form_of(refused)
        assert again.fields["own_words"] == "kept words"
        assert again.fields["confidence"] == "guess"
        assert attempts(live) == 0
        assert visitor.post(again.action, data=again.fields).status_code == 303


def test_item_removed_between_page_and_commit_is_not_found(
    settings: Settings, fake: FakeSandbox, tmp_path: Path
) -> None:
    with running(settings, fake) as live, live.visitor() as visitor:
        form = form_of(visitor.get("/practice/two-walks"))
    (settings.bank / "basics" / "two-walks.yaml").unlink()
    with running(settings, fake) as live, live.visitor() as visitor:
        assert visitor.post(form.action, data=form.filled()).status_code == 404


def test_form_sent_twice_is_one_attempt(live: LiveSite, visitor: httpx.Client) -> None:
    form = form_of(visitor.get("/practice/two-walks"))
    data = form.filled()
    first, second = visitor.post(form.action, data=data), visitor.post(form.action, data=data)
    assert first.headers["location"] == second.headers["location"]
    assert attempts(live) == 1


def test_form_sent_twice_at_once_by_a_new_browser_is_one_attempt_of_one_person(live: LiveSite) -> None:
    with live.visitor() as opener:
        form = form_of(opener.get("/practice/two-walks"))
    data, answers, start = form.filled(), [], threading.Barrier(4)

    def send() -> None:
        with live.visitor() as visitor:
            start.wait()
            response = visitor.post(form.action, data=data)
            reveal = visitor.get(response.headers["location"])
            answers.append((response.status_code, response.headers["location"], reveal.status_code))

    threads = [threading.Thread(target=send) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(answers) == 4
    assert len(set(answers)) == 1
    assert answers[0][0::2] == (303, 200)
    assert attempts(live) == 1


def test_filter_stays_on_the_way_from_item_to_item(visitor: httpx.Client) -> None:
    query = "?kind=edge_case&level=1"
    place = visitor.get(f"/practice/next{query}").headers["location"]
    assert place.endswith(query)
    form = form_of(visitor.get(place))
    assert form.action.endswith(query)
    reveal = visitor.post(form.action, data=form.filled()).headers["location"]
    assert reveal.endswith(query)
    page = visitor.get(reveal).text
    onward = re.search(r'href="(/practice/next[^"]*)"[^>]*data-next', page)
    assert onward is not None
    assert onward[1].replace("&amp;", "&").startswith(f"/practice/next{query}&after=")
    assert visitor.get(f"{place.partition('?')[0]}?kind=riddle").status_code == 400


def test_used_form_with_something_else_entered_says_that_it_was_answered(visitor: httpx.Client) -> None:
    form = form_of(visitor.get("/practice/two-walks"))
    place = visitor.post(form.action, data=form.filled(verdict="true")).headers["location"]
    assert visitor.post(form.action, data=form.filled(verdict="true")).headers["location"] == place
    other = visitor.post(form.action, data=form.filled(verdict="false")).headers["location"]
    assert other == f"{place}?again=1"
    assert "You answered this already" in words_of(visitor.get(other))
