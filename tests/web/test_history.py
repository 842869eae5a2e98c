"""The history: where a person stands, and their own attempts, a page at a time, and nobody else's."""

import re
from copy import deepcopy
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import httpx

from app.bank.evidence import read_reading
from app.clock import now
from app.grading.grade import Confidence, Response, grade
from app.history.listing import PAGE
from app.models import Attempt, Person
from app.models.attempt import Mode
from app.sandbox.client import SandboxAwayError
from app.sandbox.protocol import Verdict
from app.settings import Settings
from app.web.dependencies import PROFILE_COOKIE
from app.web.pages.history_words import FEW
from tests.fakes import FakeSandbox
from tests.history.attempts import Told, store
from tests.live import LiveSite, form_of, words_of
from tests.practising import answer, attempts, position


def with_history(live: LiveSite, listed: list[Told]) -> tuple[httpx.Client, list[UUID]]:
    """Return a browser whose profile has these attempts, and their ids."""
    person, client = uuid4(), live.visitor()
    with live.site.database.writing() as session:
        session.add(Person(id=person, created_at=now()))
        session.flush()
        stored = [one.id for one in store(session, person, listed)]
    client.cookies.set(PROFILE_COOKIE, live.site.signer.sign_profile(person))
    return client, stored


def told(days: int = 0, **changes: Any) -> Told:
    """Return an attempt of some days ago."""
    return Told(**{"at": now() - timedelta(days=days), "topic": "basics", **changes})


def listed_in(page: httpx.Response) -> list[str]:
    """Return the attempts that a page lists, in order."""
    rows = page.text.partition('class="rows attempts"')[2]
    return list(dict.fromkeys(re.findall(r'class="row-title" href="(/attempts/[^"]+)"', rows)))


def linked(page: httpx.Response, rel: str) -> str:
    """Return where a page leads on to, or ""."""
    found = re.search(rf'href="([^"]+)" rel="{rel}"', page.text)
    return found[1].replace("&amp;", "&") if found else ""


def test_reload_and_reopening_show_the_same_reveal(live: LiveSite, visitor: httpx.Client) -> None:
    address = answer(visitor).headers["location"]
    first = words_of(visitor.get(address))
    assert words_of(visitor.get(address)) == first
    page = visitor.get("/history")
    assert listed_in(page) == [address]
    assert re.search("One answer, and it is (right|not right yet)[.]", words_of(page))
    assert attempts(live) == 1


def test_attempt_of_another_person_is_not_found(live: LiveSite, visitor: httpx.Client) -> None:
    address = answer(visitor).headers["location"]
    with live.visitor() as other:
        assert other.get(address).status_code == 404
        answer(other)
        assert other.get(address).status_code == 404


def test_addresses_of_nothing_are_refused_with_a_sentence(live: LiveSite) -> None:
    client, _ = with_history(live, [told()])
    zeros = "0" * 32
    for path in ("/attempts/x", "/attempts/%00", f"/attempts/{zeros}", "/history/beliefs/none", "/history/beliefs/%00"):
        assert client.get(path).status_code == 404, path
    for place in ("x", "-1", "99", "%00", "²-1-1", f"{9**30}-0-{zeros}", f"0--1-{zeros}"):
        for name in ("before", "after"):
            assert client.get(f"/history?{name}={place}").status_code == 404, place
            assert client.get(f"/history/beliefs/replaces?{name}={place}").status_code == 404, place
    for query in ("period=x", "topic=%00", "topic=A b", f"topic={'a' * 200}", "kind=x", "mode=x"):
        assert client.get(f"/history?{query}").status_code == 400, query


def test_a_new_browser_is_told_how_to_begin(visitor: httpx.Client) -> None:
    page = visitor.get("/history")
    assert "Nothing answered yet in this browser." in words_of(page)
    assert 'href="/practice">Answer a first item' in page.text
    assert "<svg" not in page.text
    assert "<select" not in page.text


def test_a_few_answers_are_listed_and_drawn_only_once_they_say_something(live: LiveSite) -> None:
    client, _ = with_history(live, [told(n, reason="12"[n % 2]) for n in range(FEW - 1)])
    few = client.get("/history")
    assert "2 of 4 answers are right. A few more, and this page says where you stand." in words_of(few)
    assert len(listed_in(few)) == FEW - 1
    assert "<svg" not in few.text
    assert "<select" not in few.text
    assert 'href="/history/beliefs/replaces"' in few.text
    assert "<select" in client.get("/history?mode=practice").text
    client, _ = with_history(live, [told(n) for n in range(FEW)])
    assert "<svg" in client.get("/history").text


def test_many_attempts_come_a_page_at_a_time_newest_first_both_ways_and_none_is_lost(live: LiveSite) -> None:
    at = now().replace(microsecond=123_456)
    # Two of them at each moment: then only the id tells which comes first.
    client, _ = with_history(live, [told(at=at - timedelta(minutes=n // 2)) for n in range(2 * PAGE + 1)])
    forth, back, address = [], [], "/history"
    while address:
        page = client.get(address)
        forth.append(listed_in(page))
        address, last = linked(page, "next"), address
    assert [len(rows) for rows in forth] == [PAGE, PAGE, 1]
    assert len({one for rows in forth for one in rows}) == 2 * PAGE + 1
    address = last
    while address:
        page = client.get(address)
        back.append(listed_in(page))
        address = linked(page, "prev")
    assert back == forth[::-1]


def test_filters_change_figures_and_list_alike_and_are_kept_from_page_to_page(live: LiveSite) -> None:
    listed = [told(days) for days in range(PAGE + 2)] + [told(200, mode=Mode.MOCK), told(500, topic="gone", kind="why")]
    client, ids = with_history(live, listed)
    page = client.get("/history?period=30-days&kind=true_false")
    assert f"{PAGE + 2} answers" in words_of(page)
    assert "period=30-days" in linked(page, "next")
    assert "kind=true_false" in linked(page, "next")
    assert listed_in(client.get("/history?mode=mock")) == [f"/attempts/{ids[-2]}"]
    assert listed_in(client.get("/history?topic=gone")) == [f"/attempts/{ids[-1]}"]
    assert '<option value="gone" selected>' in client.get("/history?topic=gone").text
    assert listed_in(client.get("/history?period=12-months&mode=mock")) == [f"/attempts/{ids[-2]}"]
    nothing = client.get("/history?period=90-days&mode=mock")
    assert f"None of your {PAGE + 4} answers fits these filters." in words_of(nothing)
    assert listed_in(nothing) == []


def test_a_belief_leads_to_all_its_evidence_and_to_what_asks_about_it(live: LiveSite) -> None:
    right = [told(days) for days in range(6)]
    wrong = [told(days, reason="2", confidence=Confidence.CERTAIN) for days in (2, 1)]
    client, ids = with_history(live, right + wrong)
    page = client.get("/history")
    assert "One belief costs you most: A call replaces the gradient , twice, certain each time." in words_of(page)
    assert f'href="/attempts/{ids[-1]}"' in page.text
    assert 'href="/practice/next?topic=basics">Practise The basics' in page.text
    shown = client.get("/history/beliefs/replaces")
    assert listed_in(shown) == [f"/attempts/{one}" for one in reversed(ids[-2:])]
    assert 'href="/practice/two-walks"' in shown.text
    assert "A call replaces the gradient." in words_of(shown)
    assert 'href="/history/beliefs/replaces"' in client.get("/history/beliefs").text
    other = live.visitor()
    assert "None of your answers showed one." in words_of(other.get("/history/beliefs"))
    assert "None of your answers showed it." in words_of(other.get("/history/beliefs/replaces"))


def test_confidence_is_held_against_truth_with_counts(live: LiveSite) -> None:
    sure = [told(n, confidence=Confidence.CERTAIN, verdict="true") for n in range(12)]
    guessed = [told(n, confidence=Confidence.GUESS) for n in range(12)]
    client, _ = with_history(live, sure + guessed)
    words = words_of(client.get("/history"))
    assert "When you say certain you are right 0 % of the time (12 answers): less often than the word says." in words
    assert "When you say guess you are right 100 % of the time (12 answers): you know more than you think." in words
    assert "When you say fairly sure" not in words


def test_every_chart_has_a_table_and_says_in_words_what_it_shows(live: LiveSite) -> None:
    client, _ = with_history(live, [told(n, confidence=Confidence.GUESS) for n in range(30)])
    page = client.get("/history").text
    charts = page.count('class="chart"')
    assert charts == page.count("<summary>Table</summary>") == page.count('role="img" aria-label="How') + 2 == 4
    assert "style=" not in page


def test_a_day_counts_in_the_zone_it_was_given_in(live: LiveSite) -> None:
    client, _ = with_history(live, [told(at=datetime(2024, 2, 29, 23, 30, tzinfo=UTC), zone="Asia/Tokyo")] * FEW)
    assert "Mar 2024" in words_of(client.get("/history"))


def older_copy(live: LiveSite, attempt: UUID) -> UUID:
    """Store a copy of an attempt as a run of an older torch would have left it, where the second call replaced."""
    with live.site.database.writing() as session:
        first = session.get_one(Attempt, attempt)
        facts = {column.key: deepcopy(getattr(first, column.key)) for column in Attempt.__table__.columns}
        reading = facts["reading"]
        reading["evidence"]["torch"] = "2.9.0"
        reading["key"]["right"] = {"verdict": ["true"], "reason": ["2"]}
        for option in reading["evidence"]["options"]:
            for seen in option["seen"]:
                seen["observation"]["value"] = 5.0
        outcome = grade(Response.from_json(facts["response"]), read_reading(reading).key)
        facts |= {"id": uuid4(), "nonce": uuid4().hex, "credit": outcome.credit, "outcome": outcome.to_json()}
        session.add(Attempt(**facts))
    return UUID(str(facts["id"]))


def test_an_attempt_is_run_again_and_shows_the_same(live: LiveSite, visitor: httpx.Client) -> None:
    address = answer(visitor).headers["location"]
    reveal = visitor.get(address)
    form = form_of(reveal)
    assert form.action == f"{address}/again"
    page = visitor.post(form.action)
    assert page.status_code == 200
    assert "Run today, it shows the same." in words_of(page)
    assert "differs" not in words_of(page)
    assert attempts(live) == 1
    assert words_of(visitor.get(address)) == words_of(reveal)


def test_a_torch_that_answers_differently_today_is_shown_beside_what_was_stored(
    live: LiveSite, visitor: httpx.Client, settings: Settings
) -> None:
    form = visitor.get("/practice/two-walks")
    adds = position(form, "The second call adds.")
    answered = visitor.post(form_of(form).action, data=form_of(form).filled(verdict="false", reason=adds))
    address = answered.headers["location"]
    old = older_copy(live, UUID(address.rpartition("/")[2]))
    # That the file is gone or another one by now does not matter: the frozen variant is run.
    next(settings.bank.rglob("two-walks.yaml")).unlink()
    page = visitor.post(f"/attempts/{old}/again")
    words = words_of(page)
    assert "Run today, another answer is right." in words
    assert "Then: torch 2.9.0" in words
    assert re.search(r"Reason 2 w[.]grad[.]item\(\) == 5 differs right: 5[.]0 not right: [0-9.]+", words)
    assert "Your answer was not right then. By this run it is right." in words
    assert live.site.livecheck.withheld() == {}


def test_an_attempt_is_run_again_for_nobody_else_and_not_without_a_sandbox(
    live: LiveSite, visitor: httpx.Client, fake: FakeSandbox
) -> None:
    address = answer(visitor).headers["location"]
    with live.visitor() as other:
        assert other.post(f"{address}/again").status_code == 404
        answer(other)
        jobs = fake.jobs
        assert other.post(f"{address}/again").status_code == 404
        assert fake.jobs == jobs
    fake.change = lambda job: replace(job, results=(replace(job.results[0], verdict=Verdict.KILLED),))
    assert visitor.post(f"{address}/again").status_code == 503
    fake.failure = SandboxAwayError("The sandbox is away.")
    page = visitor.post(f"{address}/again")
    assert page.status_code == 503
    assert "The sandbox is away." in words_of(page)
