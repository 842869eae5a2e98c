"""Whose answer it is: the cookie of a profile, forms that may begin one, and the way on from item to item."""

import re
from datetime import timedelta

import httpx
import time_machine
from sqlalchemy import func, select

from app.clock import now
from app.models import Person
from app.tokens import RENEW_SECONDS, Signer
from app.web.dependencies import PROFILE_COOKIE
from tests.live import LiveSite, ShownForm, form_of, words_of
from tests.practising import answer, attempts
from tests.web.test_accounts import PASSWORD, signed_up


def opened(client: httpx.Client, item: str = "two-walks") -> ShownForm:
    return form_of(client.get(f"/practice/{item}"))


def forgetful(client: httpx.Client) -> httpx.Client:
    """Return the browser after it lost its cookies."""
    client.cookies.clear()
    return client


def test_new_browser_gets_its_cookie_with_the_first_item_and_nothing_is_stored(
    live: LiveSite, visitor: httpx.Client
) -> None:
    page = visitor.get("/practice/two-walks")
    profile = live.site.signer.read_profile(visitor.cookies[PROFILE_COOKIE])
    assert profile is not None
    assert profile.person == live.site.signer.read_form(form_of(page).fields["token"]).person
    for fact in ("HttpOnly", "SameSite=lax", "Path=/"):
        assert fact in page.headers["set-cookie"]
    with live.site.database.reading() as session:
        assert session.scalar(select(func.count()).select_from(Person)) == 0
    assert "set-cookie" not in visitor.get("/practice/two-walks").headers


def test_item_page_is_not_kept_by_the_browser(visitor: httpx.Client) -> None:
    page = visitor.get("/practice/two-walks")
    assert page.headers["cache-control"] == "no-store"
    assert re.search(r'<form[^>]*action="/practice/two-walks"[^>]*autocomplete="off"', page.text)


def test_two_first_tabs_are_one_person_who_can_read_both_answers(live: LiveSite, visitor: httpx.Client) -> None:
    with live.visitor() as tab:
        first = opened(tab)  # opened before the other tab's cookie had come
    second = opened(visitor, "three-leaves")
    places = [visitor.post(form.action, data=form.filled()).headers["location"] for form in (first, second)]
    assert [visitor.get(place).status_code for place in places] == [200, 200]


def test_form_of_a_profile_in_use_lets_nobody_else_in(live: LiveSite, visitor: httpx.Client) -> None:
    visitor.get("/practice/two-walks")
    form = opened(visitor)
    with live.visitor() as thief:
        reply = thief.post(form.action, data=form.filled(confidence="certain"))
        assert reply.status_code == 409
        assert "sent no cookie" in words_of(reply)
        stolen = live.site.signer.read_profile(thief.cookies[PROFILE_COOKIE])
        assert stolen is not None
        assert stolen.person != live.site.signer.read_form(form.fields["token"]).person
        assert form_of(reply).fields["confidence"] == "certain"
    assert attempts(live) == 0


def test_first_form_of_a_profile_lets_nobody_in_once_it_is_in_use(live: LiveSite, visitor: httpx.Client) -> None:
    first, second = opened(visitor), opened(visitor, "three-leaves")
    visitor.post(second.action, data=second.filled())
    with live.visitor() as thief:
        assert thief.post(first.action, data=first.filled()).status_code == 409
    used = opened(visitor)
    visitor.post(used.action, data=used.filled())
    with live.visitor() as thief:
        assert thief.post(used.action, data=used.filled()).status_code == 409


def test_answered_first_form_is_a_way_in_for_some_minutes_only(live: LiveSite) -> None:
    form = opened(live.visitor())
    assert live.visitor().post(form.action, data=form.filled()).status_code == 303
    assert PROFILE_COOKIE in live.visitor().post(form.action, data=form.filled()).headers["set-cookie"]
    with time_machine.travel(now() + timedelta(minutes=6), tick=True):
        late = live.visitor().post(form.action, data=form.filled())
    assert late.status_code == 409
    assert attempts(live) == 1


def test_browser_that_refuses_cookies_gets_one_attempt_and_is_told_why_it_cannot_read_it(
    live: LiveSite, visitor: httpx.Client
) -> None:
    form = opened(forgetful(visitor))
    reply = forgetful(visitor).post(form.action, data=form.filled())
    assert reply.status_code == 303
    reveal = forgetful(visitor).get(reply.headers["location"])
    assert reveal.status_code == 404
    assert "allow cookies" in words_of(reveal)
    assert attempts(live) == 1


def test_old_cookie_is_renewed_with_the_next_item(live: LiveSite, visitor: httpx.Client) -> None:
    visitor.get("/practice/two-walks")
    profile = live.site.signer.read_profile(visitor.cookies[PROFILE_COOKIE])
    assert profile is not None
    month_ago = int(now().timestamp()) - RENEW_SECONDS - 60
    visitor.cookies.clear()
    visitor.cookies.set(PROFILE_COOKIE, live.site.signer.sign_profile(profile.person, month_ago))
    renewed = visitor.get("/practice/two-walks").headers["set-cookie"].partition("=")[2].partition(";")[0]
    fresh = live.site.signer.read_profile(renewed)
    assert fresh is not None
    assert (fresh.person, fresh.old) == (profile.person, False)


def test_profile_of_an_account_belongs_to_who_is_signed_in(live: LiveSite) -> None:
    client = live.visitor()
    form = opened(client)
    place = client.post(form.action, data=form.filled()).headers["location"]
    profile = client.cookies[PROFILE_COOKIE]
    sent = {"email": "ada@example.org", "name": "Ada", "new_password": PASSWORD, "next": "/account"}
    assert client.post("/sign-up", data=sent).status_code == 303
    assert client.get(place).status_code == 200
    stranger = live.visitor()
    stranger.cookies.set(PROFILE_COOKIE, profile)
    assert stranger.get(place).status_code == 404
    client.post("/sign-out", data={"": ""})
    assert client.get(place).status_code == 404
    other = live.visitor()
    other.post("/sign-in", data={"email": "ada@example.org", "password": PASSWORD})
    assert other.get(place).status_code == 200


def test_answers_of_somebody_signed_in_are_the_accounts(live: LiveSite) -> None:
    client = signed_up(live, "bo@example.org")
    form = opened(client)
    place = client.post(form.action, data=form.filled()).headers["location"]
    assert client.get(place).status_code == 200
    assert PROFILE_COOKIE not in client.cookies


def test_form_of_another_person_is_refused(live: LiveSite, visitor: httpx.Client) -> None:
    answer(visitor)
    form = form_of(visitor.get("/practice/three-leaves"))
    assert visitor.post(form.action, data=form.filled()).status_code == 303
    with live.visitor() as other:
        answer(other)
        assert other.post(form.action, data=form.filled()).status_code == 409


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
