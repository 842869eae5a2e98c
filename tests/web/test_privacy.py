"""What people are told of their data, what they take away, and what is left when they are erased."""

import json
from pathlib import Path
from uuid import UUID

import httpx
import pytest
from sqlalchemy import select

from app.accounts import recovery, sign_in, teams
from app.delivery import outbox
from app.models import Account, Attempt, AuditEntry, Base, Membership, QuizSession, Team
from app.models.account import account_by_email
from app.settings import Settings
from app.web.pages.privacy import STORED
from tests.banks import write_bank
from tests.live import LiveSite, words_of
from tests.practising import answer
from tests.web.reported import ITEMS, fixed_quiz, member, taken, wrong_answer
from tests.web.test_accounts import PASSWORD, new_team, signed_up
from tests.web.test_quiz_sessions import invited

EMAIL = "reader@example.org"


@pytest.fixture
def settings(settings: Settings, tmp_path: Path) -> Settings:
    return settings.model_copy(
        update={"bank": write_bank(tmp_path / "bank", ITEMS), "contact": "the Vision group, ask@example.org"}
    )


def candidate_url(live: LiveSite, url: str, session: str) -> str:
    with live.site.database.reading() as db:
        return f"{url}/candidates/{db.get_one(QuizSession, UUID(session.rpartition('/')[2])).invitation_id}"


def rows_with(live: LiveSite, *needles: str) -> list[str]:
    """Return the name of each table with a row that holds one of some texts."""
    with live.site.database.reading() as session:
        return [
            table.name
            for table in Base.metadata.sorted_tables
            for row in session.execute(select(table))
            if any(one.lower() in str(tuple(row)).lower() for one in needles)
        ]


# --- /privacy


def test_every_table_has_its_row_and_the_periods_are_those_that_delete(live: LiveSite) -> None:
    listed = [table for one in STORED for table in one.tables]
    assert sorted(listed) == sorted(Base.metadata.tables)
    said = words_of(live.visitor().get("/privacy"))
    for period in (
        f"{sign_in.SESSION_DAYS} days at most",
        f"{recovery.RESET_HOURS} hours",
        f"{outbox.FORGET_AFTER.days} days after they left",
        f"{teams.INVITATION_DAYS} days",
        "the Vision group, ask@example.org",
        "No mail.",
    ):
        assert period in said


def test_footer_and_invitation_lead_to_it(live: LiveSite) -> None:
    assert 'href="/privacy"' in live.visitor().get("/").text
    candidate = invited(live, fixed_quiz(live, retention_days=45))
    page = candidate.client.get(candidate.link)
    assert "45 days after the end" in words_of(page)
    assert page.text.count('href="/privacy"') == 2


def test_invitation_to_a_quiz_without_days_says_so(live: LiveSite) -> None:
    candidate = invited(live, fixed_quiz(live))
    assert "It is kept until the team erases it." in words_of(candidate.client.get(candidate.link))


# --- a candidate, through the team


def test_team_reads_and_takes_away_what_it_has_of_a_candidate_without_a_key(live: LiveSite) -> None:
    quiz = fixed_quiz(live, ask_reasons=True)
    session = taken(live, quiz, right=(False, True), reason="Since it adds")
    author, url = member(live, quiz, "author")
    page = author.get(candidate_url(live, url, session))
    assert "w.grad" in words_of(page)
    assert "Since it adds" in words_of(page)
    assert "An owner of the team can erase it." in words_of(page)
    data = author.get(f"{candidate_url(live, url, session)}/data.json").json()
    (one,) = data["quizzes"]
    assert (data["mail_address"], one["invitation"]["name"]) == (one["invitation"]["email"], "Ada")
    assert [item["reason"] for item in one["session"]["items"]] == ["Since it adds"] * 2
    assert one["session"]["saves"][0]["response"]["entries"] == [wrong_answer(live, session, 1)]
    assert "opened" in [event["kind"] for event in one["session"]["events"]]
    with live.site.database.reading() as db:
        (hashed,) = db.execute(select(Base.metadata.tables["invitations"].c.token_hash)).one()
    assert hashed not in json.dumps(data)
    assert "key" not in one["session"]["items"][0]


def test_owner_erases_a_candidate_and_nobody_finds_them_again(live: LiveSite) -> None:
    quiz = fixed_quiz(live)
    session = taken(live, quiz, right=(True, False), name="Zanzibar")
    author, url = member(live, quiz, "author")
    owner, _ = member(live, quiz, "owner")
    page = candidate_url(live, url, session)
    assert author.post(f"{page}/erase", data={"sure": "on"}).status_code == 403
    unsure = owner.post(f"{page}/erase", data={"": ""})
    assert unsure.status_code == 422
    assert "Tick it" in words_of(unsure)
    assert rows_with(live, "Zanzibar")
    done = owner.post(f"{page}/erase", data={"sure": "on"})
    assert done.status_code == 303
    assert not rows_with(live, "Zanzibar")
    for gone in (page, f"{page}/data.json", f"{url}{session}"):
        assert owner.get(gone).status_code == 404
    assert "Nobody is invited yet" in words_of(owner.get(done.headers["location"]))
    assert "Zanzibar" not in owner.get(f"{url}/results").text
    assert owner.get(f"{url}/results.json").json()["results"] == []
    assert owner.get(f"{url}/results/items").status_code == 200
    assert "candidate.erased" in words_of(owner.get(f"{url.partition('/quizzes')[0]}/audit"))


def test_candidate_who_takes_the_quiz_is_not_erased(live: LiveSite) -> None:
    quiz = fixed_quiz(live)
    session = invited(live, quiz).start()
    owner, url = member(live, quiz, "owner")
    refused = owner.post(f"{candidate_url(live, url, session)}/erase", data={"sure": "on"})
    assert refused.status_code == 409
    assert "Wait until their session has ended" in words_of(refused)
    assert owner.get(candidate_url(live, url, session)).status_code == 200


# --- oneself


def practised(live: LiveSite) -> httpx.Client:
    client = signed_up(live, EMAIL)
    assert answer(client, "a-square").status_code == 303
    return client


def test_reader_takes_away_account_and_practice_and_no_hash(live: LiveSite) -> None:
    client = practised(live)
    assert "1 answers" in words_of(client.get("/account/data"))
    data = client.get("/account/data.json").json()
    assert data["account"]["email"] == EMAIL
    assert [(one["item_id"], one["response"]["entries"] != []) for one in data["attempts"]] == [("a-square", True)]
    assert "account.signed_up" in [one["action"] for one in data["acts"]]
    assert "argon2" not in json.dumps(data)
    assert client.cookies["gradproof_session"] not in json.dumps(data)


def test_reader_erases_account_and_practice(live: LiveSite) -> None:
    client, other = practised(live), signed_up(live, "bo@example.org")
    with live.site.database.reading() as session:
        account = account_by_email(session, EMAIL)
    assert account
    for sent, status in (({"password": PASSWORD}, 422), ({"password": "a wrong one", "sure": "on"}, 422)):
        assert client.post("/account/erase", data=sent).status_code == status
    assert rows_with(live, EMAIL)
    assert client.post("/account/erase", data={"password": PASSWORD, "sure": "on"}).status_code == 303
    assert rows_with(live, EMAIL, account.person_id.hex, str(account.person_id)) == []
    assert set(rows_with(live, account.id.hex, str(account.id))) <= {"audit_entries"}
    assert client.get("/account").status_code == 303
    assert other.get("/account").status_code == 200
    with live.site.database.reading() as session:
        assert not session.scalars(select(Attempt)).all()
        (entry,) = session.scalars(select(AuditEntry).where(AuditEntry.action == "account.erased"))
    assert (entry.actor_id, entry.detail) == (account.id, {})
    signed_up(live, EMAIL)  # the address is free again


def test_only_owner_of_others_stays_and_a_team_of_nobody_else_goes(live: LiveSite) -> None:
    quiz = fixed_quiz(live)
    taken(live, quiz, right=(True, True), name="Zanzibar")
    client, _ = member(live, quiz, "owner")
    with live.site.database.writing() as db:
        shared = db.scalars(select(Team)).one().id
        for one in db.scalars(select(Membership).where(Membership.team_id == shared)).all():
            one.role = "owner" if db.get_one(Account, one.account_id).email == "owner@example.org" else "author"
    sent = {"password": PASSWORD, "sure": "on"}
    assert "You are the only owner of Vision" in words_of(client.get("/account/data"))
    assert client.post("/account/erase", data=sent).status_code == 409
    with live.site.database.writing() as db:
        others = select(Account.id).where(Account.email != "owner@example.org")
        for one in db.scalars(select(Membership).where(Membership.account_id.in_(others))).all():
            db.delete(one)
    assert "Nobody else is in Vision" in words_of(client.get("/account/data"))
    new_team(client)
    assert client.post("/account/erase", data=sent).status_code == 303
    assert not rows_with(live, "Zanzibar", "owner@example.org")
    assert set(rows_with(live, shared.hex, str(shared))) == {"audit_entries"}
    with live.site.database.reading() as db:
        assert not db.scalars(select(Team)).all()
