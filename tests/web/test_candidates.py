"""Inviting candidates on a team's pages: links shown once, lists looked at first, time given before and after."""

import re
from pathlib import Path
from uuid import UUID

import httpx
import pytest
from sqlalchemy import func, select

from app.models import Delivery, Invitation, QuizSession
from app.settings import Settings
from tests.banks import write_bank
from tests.hiring.content import ITEMS
from tests.live import LiveSite, words_of
from tests.web.test_accounts import new_team, signed_up
from tests.web.test_quizzes import drafted, fill


@pytest.fixture
def settings(settings: Settings, tmp_path: Path) -> Settings:
    return settings.model_copy(update={"bank": write_bank(tmp_path / "bank", ITEMS)})


@pytest.fixture
def owner(live: LiveSite) -> httpx.Client:
    return signed_up(live, "owner@example.org")


@pytest.fixture
def page(live: LiveSite, owner: httpx.Client) -> str:
    """The address of the invitations of a published quiz that is always open."""
    url = drafted(owner, new_team(owner), opens_at="", closes_at="", retake_days="30")
    owner.post(f"{url}/slots", data={"item": "a-square", "points": "1"})
    owner.post(f"{url}/publish", data={"": ""})
    fill(live, url)
    return f"{url}/invitations"


def links_on(answer: httpx.Response) -> list[str]:
    return re.findall(r"http://[^<\s]+/(?:invitations|open)/[\w-]+", answer.text)


def path_of(link: str) -> str:
    return "/" + link.split("/", 3)[3]


def count(live: LiveSite, table: type) -> int:
    with live.site.database.reading() as session:
        return session.scalar(select(func.count()).select_from(table)) or 0


def ids(live: LiveSite) -> list[UUID]:
    with live.site.database.reading() as session:
        return list(session.scalars(select(Invitation.id).order_by(Invitation.created_at)))


def start(live: LiveSite, link: str) -> tuple[httpx.Client, str]:
    candidate = live.visitor()
    began = candidate.post(f"{path_of(link)}/start", data={"": ""})
    return candidate, began.headers["location"].rpartition("/items/")[0]


def test_link_is_shown_once_mailed_and_stored_as_its_hash(live: LiveSite, owner: httpx.Client, page: str) -> None:
    answer = owner.post(page, data={"email": "ada@example.org", "name": "Ada", "extra": "25"})
    (link,) = links_on(answer)
    assert links_on(owner.get(page)) == []
    assert "36" not in link
    assert "50 minutes, with 25 % extra time" in words_of(live.visitor().get(path_of(link)))
    with live.site.database.reading() as session:
        (mail,) = session.scalars(select(Delivery).where(Delivery.target == "ada@example.org"))
        stored = session.scalars(select(Invitation)).one()
    assert link in mail.payload["text"]
    assert link.rpartition("/")[2] not in stored.token_hash


@pytest.mark.parametrize(
    ("sent", "says"),
    [
        ({"email": "nobody"}, "no mail address"),
        ({"email": "a@example.org\r\nBcc: b@example.org"}, "no mail address"),
        ({"email": "a@example.org", "extra": "much"}, "whole percentage"),
        ({"email": "a@example.org", "extra": "401"}, "whole percentage"),
        ({"email": "a@example.org", "expires_at": "soon"}, "Write it like"),
    ],
)
def test_invitation_that_cannot_be_used_is_said_and_kept(
    live: LiveSite, owner: httpx.Client, page: str, sent: dict[str, str], says: str
) -> None:
    answer = owner.post(page, data={"name": "Kept Name"} | sent)
    assert answer.status_code == 422
    assert says in words_of(answer)
    assert "Kept Name" in answer.text
    assert count(live, Invitation) == 0


def test_list_is_looked_at_before_anybody_is_invited(live: LiveSite, owner: httpx.Client, page: str) -> None:
    text = "email,name,extra\nada@example.org,Ada,25\nnobody,X,\nbo@example.org,Bo,\n"
    looked = owner.post(f"{page}/preview", data={"list": ""}, files={"file": ("list.csv", text.encode())})
    words = words_of(looked)
    assert "2 candidates in the list" in words
    assert "Row 3" in words
    assert count(live, Invitation) == 0
    hidden = re.search(r'name="list" value="([^"]*)"', looked.text)
    assert hidden is not None
    answer = owner.post(f"{page}/many", data={"list": hidden[1]})
    assert len(links_on(answer)) == 2  # this site sends no mail
    assert count(live, Invitation) == 2


@pytest.mark.parametrize(
    ("data", "files", "says"),
    [
        ({"list": ""}, None, "Paste a list, or choose a file"),
        ({"list": "a@example.org"}, {"file": ("x.csv", b"b@example.org")}, "one of the two"),
        ({}, {"file": ("x.xlsx", b"PK\x03\x04\x00\x00")}, "Save it as CSV"),
    ],
)
def test_upload_that_is_no_list_is_refused(
    owner: httpx.Client, page: str, data: dict[str, str], files: dict[str, tuple[str, bytes]] | None, says: str
) -> None:
    answer = owner.post(f"{page}/preview", data=data, files=files)
    assert answer.status_code == 422
    assert says in words_of(answer)
    assert "Nobody is invited yet" in words_of(owner.get(page))


def test_broken_and_huge_uploads_are_refused(owner: httpx.Client, page: str) -> None:
    kind = {"content-type": "multipart/form-data; boundary=x"}
    assert owner.post(f"{page}/preview", content=b"--y\r\nnonsense", headers=kind).status_code in {400, 422}
    assert (
        owner.post(f"{page}/preview", content=b"", headers={"content-type": "multipart/form-data"}).status_code == 400
    )
    assert owner.post(f"{page}/preview", files={"file": ("x", b"x" * 3_000_000)}).status_code == 413
    assert owner.post(f"{page}/preview", content=b"{}", headers={"content-type": "application/json"}).status_code == 415


def test_new_link_replaces_the_old_one_and_a_revoked_one_starts_nothing(
    live: LiveSite, owner: httpx.Client, page: str
) -> None:
    (old,) = links_on(owner.post(page, data={"email": "ada@example.org"}))
    (one,) = ids(live)
    (new,) = links_on(owner.post(f"{page}/{one}/resend", data={"": ""}))
    assert live.visitor().get(path_of(old)).status_code == 404
    assert live.visitor().get(path_of(new)).status_code == 200
    owner.post(f"{page}/{one}/revoke", data={"": ""})
    assert "withdrawn" in words_of(live.visitor().get(path_of(new)))
    assert live.visitor().post(f"{path_of(new)}/start", data={"": ""}).status_code == 404
    assert count(live, QuizSession) == 0


def test_extra_time_is_set_before_the_start_and_minutes_are_added_after_it(
    live: LiveSite, owner: httpx.Client, page: str
) -> None:
    (link,) = links_on(owner.post(page, data={"email": "ada@example.org"}))
    (one,) = ids(live)
    assert owner.post(f"{page}/{one}/minutes", data={"minutes": "5"}).status_code == 409
    owner.post(f"{page}/{one}/extra", data={"extra": "50"})
    candidate, session = start(live, link)
    before = candidate.get(f"{session}/time").json()["seconds"]
    assert 59 * 60 < before <= 60 * 60
    assert owner.post(f"{page}/{one}/extra", data={"extra": "0"}).status_code == 409
    assert owner.post(f"{page}/{one}/minutes", data={"minutes": "x"}).status_code == 400
    owner.post(f"{page}/{one}/minutes", data={"minutes": "5"})
    owner.post(f"{page}/minutes", data={"minutes": "10"})
    after = candidate.get(f"{session}/time").json()["seconds"]
    assert 880 <= after - before <= 900
    assert "15 minutes added" in words_of(owner.get(page))


def test_address_is_not_invited_again_before_the_days_of_the_quiz(
    live: LiveSite, owner: httpx.Client, page: str
) -> None:
    (link,) = links_on(owner.post(page, data={"email": "ada@example.org"}))
    start(live, link)
    again = owner.post(page, data={"email": "ADA@example.org"})
    assert again.status_code == 422
    assert "less than 30 days ago" in words_of(again)
    many = owner.post(f"{page}/many", data={"list": "ada@example.org\nbo@example.org"})
    assert "Some were not invited" in words_of(many)
    assert count(live, Invitation) == 2


def test_public_link_serves_as_many_as_its_cap(live: LiveSite, owner: httpx.Client, page: str) -> None:
    (link,) = links_on(owner.post(f"{page}/public", data={"cap": "2"}))
    for name in ("ada", "bo"):
        visitor = live.visitor()
        assert "Say who you are" in words_of(visitor.get(path_of(link)))
        wrong = visitor.post(path_of(link), data={"name": name, "email": "no address"})
        assert wrong.status_code == 422
        entered = visitor.post(path_of(link), data={"name": name, "email": f"{name}@example.org"})
        assert visitor.get(entered.headers["location"]).status_code == 200
    late = live.visitor().post(path_of(link), data={"name": "cy", "email": "cy@example.org"})
    assert late.status_code == 404
    assert "As many people" in words_of(late)
    assert "2 of 2 used" in words_of(owner.get(page))
    assert owner.post(f"{page}/public", data={"cap": "0"}).status_code == 422


def test_invitation_of_another_quiz_cannot_be_touched(live: LiveSite, owner: httpx.Client, page: str) -> None:
    owner.post(page, data={"email": "ada@example.org"})
    (one,) = ids(live)
    other = drafted(owner, page.partition("/quizzes/")[0])
    assert owner.post(f"{other}/invitations/{one}/revoke", data={"": ""}).status_code == 404
    assert owner.post(f"{page}/{one}/explode", data={"": ""}).status_code == 404
    assert owner.post(f"{other}/invitations", data={"email": "x@example.org"}).status_code == 409
