"""The practise journey over HTTP, on a running site with the real sandbox."""

import html
import re
import threading
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import httpx
import pytest
import time_machine
from sqlalchemy import func, select

from app.clock import now
from app.models import Attempt, Person
from app.sandbox.client import SandboxAwayError
from app.sandbox.protocol import JobResult, Observation, Verdict
from app.settings import Settings
from app.tokens import Signer
from app.web.dependencies import PROFILE_COOKIE
from tests.banks import ITEMS, write_bank
from tests.fakes import FakeSandbox
from tests.live import LiveSite, form_of, running, words_of


@pytest.fixture
def settings(settings: Settings, tmp_path: Path) -> Settings:
    return settings.model_copy(update={"bank": write_bank(tmp_path / "bank")})


@pytest.fixture
def visitor(live: LiveSite) -> Iterator[httpx.Client]:
    with live.visitor() as client:
        yield client


def attempts(live: LiveSite) -> int:
    with live.site.database.reading() as session:
        return session.scalar(select(func.count()).select_from(Attempt)) or 0


def answer(visitor: httpx.Client, item: str = "two-walks", **changes: str) -> httpx.Response:
    form = form_of(visitor.get(f"/practice/{item}"))
    return visitor.post(form.action, data=form.filled(**changes))


def position(visitor: httpx.Client, page: httpx.Response, text: str) -> str:
    """Return the form value of the option that reads `text`."""
    before = page.text.split(text)[0]
    return before.rsplit('value="', 1)[1].split('"', 1)[0]


# --- the journey


@pytest.mark.parametrize("item", ITEMS)
def test_answer_is_stored_and_then_revealed(live: LiveSite, visitor: httpx.Client, item: str) -> None:
    response = answer(visitor, item)
    assert response.status_code == 303
    assert attempts(live) == 1
    reveal = visitor.get(response.headers["location"])
    assert reveal.status_code == 200
    assert "torch 2.13.0" in words_of(reveal)


def test_right_verdict_and_reason_are_right(visitor: httpx.Client) -> None:
    page = visitor.get("/practice/two-walks")
    reason = position(visitor, page, "The second call adds.")
    form = form_of(page)
    response = visitor.post(form.action, data=form.filled(verdict="false", reason=reason, confidence="certain"))
    words = words_of(visitor.get(response.headers["location"]))
    assert "Right: it is false, and for the right reason." in words
    assert "You were certain." in words
    assert "It holds 7.0 at the end." in words


def test_right_verdict_for_a_wrong_reason_says_so_and_names_the_misconception(visitor: httpx.Client) -> None:
    page = visitor.get("/practice/two-walks")
    form = form_of(page)
    reason = position(visitor, page, "The second call replaces.")
    response = visitor.post(form.action, data=form.filled(verdict="false", reason=reason))
    words = words_of(visitor.get(response.headers["location"]))
    assert "It is false, as you said, but for another reason." in words
    assert "A call replaces the gradient." in words
    assert "verdict only" in words_of(visitor.get("/history"))


def test_typed_values_are_graded_as_values(visitor: httpx.Client) -> None:
    form = form_of(visitor.get("/practice/three-leaves"))
    response = visitor.post(form.action, data=form.filled(**{"entry-1": "-1", "entry-2": "None"}))
    words = words_of(visitor.get(response.headers["location"]))
    assert "Partly: 1 of 2 values are what the run shows." in words


def test_every_repair_shows_how_its_own_run_ended(visitor: httpx.Client) -> None:
    response = answer(visitor, "a-late-change")
    words = words_of(visitor.get(response.headers["location"]))
    assert "modified by an inplace operation" in words
    assert "ran to its end" in words


def test_own_words_are_kept_and_shown_with_the_rubric(visitor: httpx.Client) -> None:
    response = answer(visitor, "a-square-and-more", own_words="Both <b>paths</b> count.")
    words = words_of(visitor.get(response.headers["location"]))
    assert "Both <b>paths</b> count." in words
    assert "names both paths" in words


def test_reload_and_reopening_show_the_same_reveal(live: LiveSite, visitor: httpx.Client) -> None:
    address = answer(visitor).headers["location"]
    first = words_of(visitor.get(address))
    assert words_of(visitor.get(address)) == first
    assert address in visitor.get("/history").text
    assert attempts(live) == 1


def test_reveal_stays_as_it_was_when_the_item_is_edited(settings: Settings, fake: FakeSandbox, tmp_path: Path) -> None:
    with running(settings, fake) as live, live.visitor() as visitor:
        address = answer(visitor).headers["location"]
        first = words_of(visitor.get(address))
        cookie = visitor.cookies[PROFILE_COOKIE]
    items = deepcopy(ITEMS)
    items["two-walks"]["title"] = "Renamed since"
    write_bank(tmp_path / "bank", items)
    with running(settings, fake) as live, live.visitor() as visitor:
        visitor.cookies.set(PROFILE_COOKIE, cookie)
        assert words_of(visitor.get(address)) == first


def test_reveal_stays_readable_when_the_bank_is_gone(settings: Settings, fake: FakeSandbox, tmp_path: Path) -> None:
    with running(settings, fake) as live, live.visitor() as visitor:
        address = answer(visitor).headers["location"]
        cookie = visitor.cookies[PROFILE_COOKIE]
    other = settings.model_copy(update={"bank": write_bank(tmp_path / "other", {})})
    with running(other, fake) as live, live.visitor() as visitor:
        visitor.cookies.set(PROFILE_COOKIE, cookie)
        assert visitor.get(address).status_code == 200


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


# --- the sandbox is away


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


# --- a key that differs from the file


def flip(job: JobResult) -> JobResult:
    """Turn every observed truth value round."""

    def turned(one: Observation) -> Observation:
        return Observation(not one.value) if isinstance(one.value, bool) else one

    results = tuple(replace(result, observations=tuple(map(turned, result.observations))) for result in job.results)
    return replace(job, results=results)


def test_item_whose_run_contradicts_its_file_is_not_issued(visitor: httpx.Client, fake: FakeSandbox) -> None:
    fake.change = flip
    page = visitor.get("/practice/two-walks")
    assert page.status_code == 409
    assert "withheld" in words_of(page)
    assert 'name="token"' not in page.text
    fake.change = None
    assert visitor.get("/practice/two-walks").status_code == 409  # until the file changes


def test_contradiction_found_on_answering_stores_nothing(
    live: LiveSite, visitor: httpx.Client, fake: FakeSandbox
) -> None:
    form = form_of(visitor.get("/practice/two-walks"))
    fake.change = flip
    assert visitor.post(form.action, data=form.filled()).status_code == 409
    assert attempts(live) == 0


def test_wrong_file_is_caught_by_the_real_sandbox(settings: Settings, fake: FakeSandbox, tmp_path: Path) -> None:
    items = deepcopy(ITEMS)
    items["two-walks"]["expect"] = {"verdict": True, "reason": 2}
    wrong = settings.model_copy(update={"bank": write_bank(tmp_path / "wrong", items)})
    with running(wrong, fake) as live, live.visitor() as visitor:
        page = visitor.get("/practice/two-walks")
        assert page.status_code == 409
        assert "Where they disagree" in words_of(page)
        assert visitor.get("/practice/three-leaves").status_code == 200


# --- bad input


def test_unknown_item_is_not_found(visitor: httpx.Client) -> None:
    for path in ("/practice/nothing-here", "/practice/%00", "/practice/%ff", "/practice/..%2f..%2fetc%2fpasswd"):
        assert visitor.get(path).status_code == 404


@pytest.mark.parametrize("query", ["topic=nope", "kind=nope", "level=nope", "level=%ff", "level=9"])
def test_unknown_filter_is_named(visitor: httpx.Client, query: str) -> None:
    assert visitor.get(f"/practice?{query}").status_code in {400, 404}


@pytest.mark.parametrize("token", ["", "nonsense", "e30.xx", "\x00\x00"])
def test_forged_form_is_refused(live: LiveSite, visitor: httpx.Client, token: str) -> None:
    response = answer(visitor, token=token)
    assert response.status_code == 400
    assert "This form is not one of ours" in words_of(response)
    assert attempts(live) == 0


def test_form_signed_with_another_key_is_refused(live: LiveSite, visitor: httpx.Client) -> None:
    form = form_of(visitor.get("/practice/two-walks"))
    token = live.site.signer.read_form(form.fields["token"])
    assert answer(visitor, token=Signer(["other"]).sign_form(token)).status_code == 400


def test_form_of_another_item_is_refused(visitor: httpx.Client) -> None:
    other = form_of(visitor.get("/practice/three-leaves")).fields["token"]
    assert answer(visitor, token=other).status_code == 400


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
    write_bank(tmp_path / "bank", items)
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
    (tmp_path / "bank" / "basics" / "two-walks.yaml").unlink()
    with running(settings, fake) as live, live.visitor() as visitor:
        assert visitor.post(form.action, data=form.filled()).status_code == 404


@pytest.mark.parametrize("missing", ["verdict", "reason"])
def test_missing_choice_is_named_and_the_rest_is_kept(live: LiveSite, visitor: httpx.Client, missing: str) -> None:
    form = form_of(visitor.get("/practice/two-walks"))
    data = form.filled(confidence="guess")
    del data[missing]
    refused = visitor.post(form.action, data=data)
    assert refused.status_code == 422
    assert form_of(refused).fields == data
    assert attempts(live) == 0


@pytest.mark.parametrize(
    ("field", "value"),
    [("verdict", "maybe"), ("reason", "9"), ("reason", "0"), ("reason", "-1"), ("reason", "²")],
)
def test_choice_that_is_not_offered_is_refused(visitor: httpx.Client, field: str, value: str) -> None:
    assert answer(visitor, **{field: value}).status_code == 422


@pytest.mark.parametrize("entry", ["", "   ", "__import__('os')", "[" * 200, "9" * 401, "a.grad", "1 +", "\x00"])
def test_entry_that_is_no_value_is_explained_and_kept(live: LiveSite, visitor: httpx.Client, entry: str) -> None:
    response = answer(visitor, "three-leaves", **{"entry-1": entry, "entry-2": "None"})
    assert response.status_code == 422
    assert form_of(response).fields["entry-2"] == "None"
    assert attempts(live) == 0


def test_too_many_own_words_are_refused_and_kept(visitor: httpx.Client) -> None:
    response = answer(visitor, "a-square-and-more", own_words="word " * 1000)
    assert response.status_code == 422
    assert form_of(response).fields["own_words"].count("word") == 1000


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


def test_form_of_another_person_is_refused(live: LiveSite, visitor: httpx.Client) -> None:
    answer(visitor)
    form = form_of(visitor.get("/practice/three-leaves"))
    assert visitor.post(form.action, data=form.filled()).status_code == 303
    with live.visitor() as other:
        answer(other)
        assert other.post(form.action, data=form.filled()).status_code == 409


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


def test_megabyte_is_too_large(live: LiveSite, visitor: httpx.Client) -> None:
    response = answer(visitor, own_words="x" * 1024 * 1024)
    assert response.status_code == 413
    assert "larger than 64 kB" in words_of(response)
    assert attempts(live) == 0


def test_endless_body_without_a_length_is_cut_off(visitor: httpx.Client) -> None:
    def endless() -> Iterator[bytes]:
        for _ in range(3000):
            yield b"x" * 1024

    try:
        response = visitor.post(
            "/practice/two-walks", content=endless(), headers={"content-type": "application/x-www-form-urlencoded"}
        )
    except httpx.WriteError:
        return  # the server answered and closed before all of it was sent
    assert response.status_code == 413


@pytest.mark.parametrize("body", [b"verdict=%ff&reason=1", b"verdict=\xff", b"own_words=%ed%a0%80"])
def test_form_that_is_not_utf8_is_refused(visitor: httpx.Client, body: bytes) -> None:
    headers = {"content-type": "application/x-www-form-urlencoded"}
    response = visitor.post("/practice/two-walks", content=body, headers=headers)
    assert response.status_code == 400
    assert "not UTF-8" in words_of(response)


@pytest.mark.parametrize("body", [b"a=1&a=2", b"&".join(b"a%d=1" % n for n in range(500))])
def test_form_with_strange_fields_is_refused(visitor: httpx.Client, body: bytes) -> None:
    headers = {"content-type": "application/x-www-form-urlencoded"}
    assert visitor.post("/practice/two-walks", content=body, headers=headers).status_code == 400


@pytest.mark.parametrize("kind", ["application/json", "multipart/form-data; boundary=x", "text/plain", ""])
def test_body_of_another_type_is_refused(visitor: httpx.Client, kind: str) -> None:
    response = visitor.post("/practice/two-walks", content=b"{}", headers={"content-type": kind})
    assert response.status_code == 415


def test_cookie_signed_with_another_key_starts_a_new_profile(live: LiveSite, visitor: httpx.Client) -> None:
    answer(visitor)
    with live.visitor() as other:
        profile = live.site.signer.read_profile(visitor.cookies[PROFILE_COOKIE])
        assert profile is not None
        other.headers["cookie"] = f"{PROFILE_COOKIE}={Signer(['other']).sign_profile(profile.person)}"
        history = other.get("/history")
        assert history.status_code == 200
        assert "signed with another key" in words_of(history)
        response = answer(other)
        assert response.status_code == 303
        assert PROFILE_COOKIE in response.headers["set-cookie"]


@pytest.mark.parametrize("header", [{"sec-fetch-site": "cross-site"}, {"origin": "https://elsewhere.example"}])
def test_form_sent_by_another_site_is_refused(live: LiveSite, visitor: httpx.Client, header: dict[str, str]) -> None:
    form = form_of(visitor.get("/practice/two-walks"))
    assert visitor.post(form.action, data=form.filled(), headers=header).status_code == 403
    assert attempts(live) == 0


def test_own_page_may_send_its_form(live: LiveSite, visitor: httpx.Client) -> None:
    form = form_of(visitor.get("/practice/two-walks"))
    headers = {"origin": live.url, "sec-fetch-site": "same-origin"}
    assert visitor.post(form.action, data=form.filled(), headers=headers).status_code == 303


def test_wrong_method_and_unknown_page_are_pages(visitor: httpx.Client) -> None:
    assert "Not found" in words_of(visitor.get("/nowhere"))
    response = visitor.post("/practice")
    assert response.status_code == 405
    assert "<main" in response.text


def test_our_own_mistake_is_a_page_with_headers_and_without_a_trace(
    live: LiveSite, visitor: httpx.Client, fake: FakeSandbox
) -> None:
    form = form_of(visitor.get("/practice/two-walks"))

    def broken() -> None:
        raise ZeroDivisionError("sentinel of a broken sandbox client")

    fake.before = broken
    response = visitor.post(form.action, data=form.filled())
    assert response.status_code == 500
    assert "our mistake" in words_of(response)
    assert "sentinel" not in response.text
    assert "content-security-policy" in response.headers


# --- a share for everybody


@pytest.fixture
def strict(settings: Settings, fake: FakeSandbox) -> Iterator[LiveSite]:
    with running(settings.model_copy(update={"reveals_burst": 5, "reveals_per_minute": 30}), fake) as site:
        yield site


@pytest.mark.parametrize("known", [True, False])
def test_ten_reveals_at_once_are_more_than_a_share(strict: LiveSite, known: bool) -> None:
    first = strict.visitor()
    openers = [first if known else strict.visitor() for _ in range(10)]
    forms = [form_of(opener.get("/practice/two-walks")) for opener in openers]
    cookies = dict(first.cookies) if known else {}
    statuses: list[int] = []
    texts: list[str] = []

    def send(number: int) -> None:
        with httpx.Client(base_url=strict.url, cookies=cookies, timeout=30) as visitor:
            response = visitor.post(forms[number].action, data=forms[number].filled())
            statuses.append(response.status_code)
            if response.status_code == 429:
                assert int(response.headers["retry-after"]) >= 1
                assert form_of(response).fields["token"] == forms[number].fields["token"]
                texts.append(words_of(response))

    threads = [threading.Thread(target=send, args=(number,)) for number in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(statuses) == 10
    assert set(statuses) == {303, 429}
    assert statuses.count(303) <= 6
    assert all("press again in" in text for text in texts)


def test_each_bug_of_a_matrix_is_answered_and_its_own_runs_are_shown(visitor: httpx.Client) -> None:
    page = visitor.get("/practice/one-slope-two-bugs")
    first, second = page.text.split("The first call keeps nothing.", 1)
    repairs = {
        "bug-1": position(visitor, page, "Use the leaf itself."),
        "bug-2": re.findall(r'name="bug-2"[^>]*value="(\w+)"', second.split("Keep the graph.")[0])[-1],
    }
    assert "The leaf is detached." in first
    form = form_of(page)
    response = visitor.post(form.action, data=form.filled(**repairs))
    words = words_of(visitor.get(response.headers["location"]))
    assert "Right: each of your repairs cures its bug." in words
    wrong = answer(visitor, "one-slope-two-bugs", **{"bug-1": "3", "bug-2": "3"})
    words = words_of(visitor.get(wrong.headers["location"]))
    assert "No: none of your repairs cures its bug." in words
    assert "None of these." in words
