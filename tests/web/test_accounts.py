"""Accounts and teams over real HTTP: what each page answers, and who may see it."""

import time
from collections.abc import Iterator

import httpx
import pytest

from app.models import Account, Delivery
from app.settings import Settings
from tests.delivery.mailbox import Mailbox, open_mailbox
from tests.fakes import FakeSandbox
from tests.live import LiveSite, running, words_of

PASSWORD = "four random words here"


def signed_up(live: LiveSite, email: str) -> httpx.Client:
    client = live.visitor()
    sent = {"email": email, "name": email.partition("@")[0], "new_password": PASSWORD, "next": "/account"}
    answer = client.post("/sign-up", data=sent)
    assert (answer.status_code, answer.headers["location"]) == (303, "/account")
    return client


def new_team(client: httpx.Client) -> str:
    answer = client.post("/teams/new", data={"name": "Vision", "time_zone": "Europe/Berlin"})
    assert answer.status_code == 303
    return answer.headers["location"]


def test_person_signs_up_out_and_in_again(live: LiveSite) -> None:
    client = signed_up(live, "ada@example.org")
    assert "ada@example.org" in words_of(client.get("/account"))
    assert client.post("/sign-out", data={"": ""}).headers["location"] == "/"
    assert client.get("/account").headers["location"] == "/sign-in?next=/account"
    sent = {"email": "ada@example.org", "password": PASSWORD, "next": "/account"}
    assert client.post("/sign-in", data=sent).headers["location"] == "/account"
    cookie = client.cookies.get("gradproof_session")
    assert cookie is not None


@pytest.mark.parametrize("path", ["//evil.example", "https://evil.example/", "/\\evil.example", "javascript:alert(1)"])
def test_signing_in_never_leads_to_another_site(live: LiveSite, path: str) -> None:
    signed_up(live, "ada@example.org")
    sent = {"email": "ada@example.org", "password": PASSWORD, "next": path}
    assert live.visitor().post("/sign-in", data=sent).headers["location"] == "/teams"


def test_wrong_password_says_neither_which_is_wrong_nor_sends_it_back(live: LiveSite) -> None:
    signed_up(live, "ada@example.org")
    answers = [
        live.visitor().post("/sign-in", data={"email": email, "password": "a wrong password"})
        for email in ("ada@example.org", "nobody@example.org")
    ]
    assert [answer.status_code for answer in answers] == [401, 401]
    assert len({words_of(answer) for answer in answers}) == 1
    assert "a wrong password" not in answers[0].text


def test_many_wrong_passwords_are_told_to_wait(live: LiveSite) -> None:
    signed_up(live, "ada@example.org")
    sent = {"email": "ada@example.org", "password": "a wrong password"}
    statuses = [live.visitor().post("/sign-in", data=sent) for _ in range(7)]
    last = statuses[-1]
    assert last.status_code == 429
    assert int(last.headers["retry-after"]) >= 1


def test_password_change_signs_other_browsers_out_and_keeps_this_one(live: LiveSite) -> None:
    client = signed_up(live, "ada@example.org")
    other = live.visitor()
    other.post("/sign-in", data={"email": "ada@example.org", "password": PASSWORD})
    assert other.get("/account").status_code == 200
    wrong = client.post("/account/password", data={"password": "no", "new_password": "another four words"})
    assert wrong.status_code == 422
    done = client.post("/account/password", data={"password": PASSWORD, "new_password": "another four words"})
    assert "The password was changed" in words_of(done)
    assert client.get("/account").status_code == 200
    assert other.get("/account").status_code == 303


@pytest.fixture
def mailbox() -> Iterator[Mailbox]:
    with open_mailbox() as mailbox:
        yield mailbox


@pytest.fixture
def mailing(settings: Settings, fake: FakeSandbox, mailbox: Mailbox) -> Iterator[LiveSite]:
    """A site that sends its mails by itself."""
    with running(mailbox.settings(settings).model_copy(update={"sweep": True}), fake) as site:
        yield site


def test_forgotten_password_page_says_the_same_for_every_address(mailing: LiveSite) -> None:
    signed_up(mailing, "ada@example.org")
    emails = ("ada@example.org", "nobody@example.org")
    pages = [mailing.visitor().post("/forgot", data={"email": one}) for one in emails]
    assert "a link is on its way" in words_of(pages[0])
    assert len({words_of(page) for page in pages}) == 1


def test_link_of_the_mail_sets_a_new_password_once(mailing: LiveSite, mailbox: Mailbox) -> None:
    signed_up(mailing, "ada@example.org")
    mailing.visitor().post("/forgot", data={"email": "nobody@example.org"})
    mailing.visitor().post("/forgot", data={"email": "Ada@Example.org"})
    for _ in range(200):
        if mailbox.arrived:
            break
        time.sleep(0.05)
    ((receivers, mail),) = mailbox.arrived
    assert receivers == ["ada@example.org"]
    path = "/reset/" + mail.get_content().partition("/reset/")[2].split()[0]
    client = mailing.visitor()
    assert client.post(path, data={"new_password": "another four words"}).status_code == 303
    assert client.get("/account").status_code == 200
    assert mailing.visitor().get(path).status_code == 404


def test_site_without_mail_promises_no_link(live: LiveSite) -> None:
    signed_up(live, "ada@example.org")
    for page in (live.visitor().get("/forgot"), live.visitor().post("/forgot", data={"email": "ada@example.org"})):
        assert "This site sends no mail" in words_of(page)
        assert "on its way" not in words_of(page)
    with live.site.database.reading() as session:
        assert session.query(Delivery).count() == 0


TEAM_PAGES = ["/members", "/audit", "/settings"]


@pytest.mark.parametrize("page", TEAM_PAGES)
def test_team_does_not_exist_for_others_and_asks_nobody_to_sign_in(live: LiveSite, page: str) -> None:
    owner = signed_up(live, "owner@example.org")
    url = new_team(owner) + page
    assert owner.get(url).status_code == 200
    assert signed_up(live, "other@example.org").get(url).status_code == 404
    assert live.visitor().get(url).headers["location"] == f"/sign-in?next={url}"


def test_invited_reviewer_sees_members_and_not_the_audit(live: LiveSite) -> None:
    owner, guest = signed_up(live, "owner@example.org"), signed_up(live, "guest@example.org")
    team = new_team(owner)
    page = owner.post(f"{team}/members", data={"email": "guest@example.org", "role": "reviewer"})
    link = page.text.partition("/join/")[2].partition("<")[0]
    assert link not in owner.get(f"{team}/members").text  # shown once
    assert "reviewer" in words_of(guest.get(f"/join/{link}"))
    assert guest.post(f"/join/{link}", data={"": ""}).headers["location"] == team
    assert guest.get(f"{team}/members").status_code == 200
    assert guest.get(f"{team}/audit").status_code == 403
    refused = guest.post(f"{team}/members", data={"email": "x@example.org", "role": "owner"})
    assert refused.status_code == 403
    assert "Ask an owner" in words_of(refused)


def test_owner_changes_and_removes_members_and_cannot_be_the_last_to_go(live: LiveSite) -> None:
    owner, guest = signed_up(live, "owner@example.org"), signed_up(live, "guest@example.org")
    team = new_team(owner)
    page = owner.post(f"{team}/members", data={"email": "guest@example.org", "role": "author"})
    guest.post(f"/join/{page.text.partition('/join/')[2].partition('<')[0]}", data={"": ""})
    with live.site.database.reading() as session:
        ids = {one.email: one.id for one in session.query(Account)}
    mine, theirs = ids["owner@example.org"], ids["guest@example.org"]
    assert owner.post(f"{team}/members/{mine}/remove", data={"": ""}).status_code == 409
    assert guest.post(f"{team}/members/{mine}/remove", data={"": ""}).status_code == 403
    assert owner.post(f"{team}/members/{theirs}/role", data={"role": "owner"}).status_code == 303
    assert owner.post(f"{team}/members/{theirs}/role", data={"role": "king"}).status_code == 400
    assert owner.post(f"{team}/members/{mine}/remove", data={"": ""}).headers["location"] == "/account"
    assert owner.get(f"{team}/members").status_code == 404
