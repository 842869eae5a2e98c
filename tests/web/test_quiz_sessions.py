"""A candidate over real HTTP: from the link to the end, with the clock, two tabs and hostile input."""

import json
import re
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from uuid import UUID

import httpx
import pytest
import time_machine
from sqlalchemy import func, select

from app.accounts.sign_in import make_account
from app.accounts.teams import create_team
from app.clock import now
from app.hiring.invitations import Guest, invite
from app.hiring.pools import Workshop, fill_pool, start_publishing
from app.hiring.quiz_sessions import add_minutes
from app.hiring.quizzes import QuizSettings, SlotSpec, create_quiz, set_slots
from app.models import CandidateNote, PoolVariant, Quiz, QuizSession, SavedResponse, SessionEvent, SessionItem
from app.models.quiz_session import newest_grades, newest_responses
from app.settings import Settings
from tests.banks import write_bank
from tests.hiring.content import ITEMS, kept_verifications
from tests.live import LiveSite, form_of, words_of


@dataclass
class Candidate:
    """A browser with an invitation to a published quiz of two items."""

    live: LiveSite
    client: httpx.Client
    secret: str
    quiz_id: UUID

    @property
    def link(self) -> str:
        return f"/invitations/{self.secret}"

    def start(self) -> str:
        """Press start and return the address of the session."""
        answer = self.client.post(f"{self.link}/start", data={"": ""})
        assert answer.status_code == 303, words_of(answer)
        return answer.headers["location"].rpartition("/items/")[0]

    def page(self, session: str, position: int = 1) -> httpx.Response:
        page = self.client.get(f"{session}/items/{position}")
        assert page.status_code == 200, words_of(page)
        return page

    def put(self, session: str, epoch: int, sequence: int, text: str, position: int = 1) -> httpx.Response:
        body = {"epoch": epoch, "sequence": sequence, "fields": {"entry-1": text}}
        return self.client.put(f"{session}/responses/{position}", json=body)


def epoch_of(page: httpx.Response) -> int:
    return int(form_of(page).fields["epoch"])


def publish(live: LiveSite, **changes: object) -> UUID:
    at, site = now(), live.site
    with site.database.writing() as session:
        owner = make_account(
            session, email=f"{at.timestamp()}@example.org", name="O", password_hash="-", person=None, now=at
        )
        team = create_team(session, owner, "Vision", "Europe/Berlin", at)
        settings = QuizSettings(**{"title": "Slopes", "minutes": 30} | changes)  # type: ignore[arg-type]  # mixed values
        quiz = create_quiz(session, team.id, owner.id, settings, at)
        specs = [SlotSpec(item_id="a-square"), SlotSpec(item_id="two-terms")]
        set_slots(session, quiz, owner.id, at, specs=specs, bank=site.bank)
        start_publishing(session, quiz, site.bank, owner.id, at)
    fill_pool(Workshop(site.database, site.livecheck, site.bank, kept_verifications()), quiz.id)
    return quiz.id


def invited(live: LiveSite, quiz_id: UUID, name: str = "Ada") -> Candidate:
    with live.site.database.writing() as session:
        guest = Guest(f"{name.lower()}@example.org", name, 20)
        sent = invite(session, session.get_one(Quiz, quiz_id), guest, now(), base_url="")
    return Candidate(live, live.visitor(), sent.link.rpartition("/")[2], quiz_id)


@pytest.fixture
def settings(settings: Settings, tmp_path: Path) -> Settings:
    return settings.model_copy(update={"bank": write_bank(tmp_path / "bank", ITEMS)})


@pytest.fixture
def candidate(live: LiveSite) -> Candidate:
    return invited(live, publish(live))


def rows(live: LiveSite, table: type) -> int:
    with live.site.database.reading() as session:
        return session.scalar(select(func.count()).select_from(table)) or 0


def right_answer(live: LiveSite, session_url: str, position: int) -> str:
    with live.site.database.reading() as session:
        item = session.get_one(SessionItem, (UUID(session_url.rpartition("/")[2]), position))
        variant = session.get_one(PoolVariant, item.pool_variant_id)
        k = variant.variant["parameters"]["k"]
    return str(2 * k if variant.item_id == "a-square" else 1 + 2 * k)


def kept(live: LiveSite, session_url: str) -> list[list[str]]:
    with live.site.database.reading() as session:
        found = newest_responses(session, UUID(session_url.rpartition("/")[2]))
    return [found[position].response["entries"] for position in sorted(found)]


def test_landing_says_the_rules_and_writes_nothing(candidate: Candidate) -> None:
    page = candidate.client.get(candidate.link)
    words = words_of(page)
    assert "36 minutes, with 20 % extra time" in words
    assert "2, each about a short PyTorch snippet" in words
    assert "not shown here" in words
    assert rows(candidate.live, QuizSession) == 0
    assert rows(candidate.live, SessionEvent) == 0


def test_rehearsal_shows_the_screen_and_stores_nothing(candidate: Candidate) -> None:
    page = candidate.client.get(f"{candidate.link}/rehearsal/1")
    form = form_of(page)
    assert candidate.client.put(form.action, json={"epoch": 1, "sequence": 1, "fields": {}}).json()["state"] == "saved"
    on = candidate.client.post(form.action, data=form.filled(go="next"))
    assert on.headers["location"].endswith("/rehearsal/2")
    back = candidate.client.post(on.headers["location"], data=form.filled(go="next"))
    assert back.headers["location"] == candidate.link
    assert rows(candidate.live, SavedResponse) == 0
    assert rows(candidate.live, QuizSession) == 0


def test_candidate_goes_through_the_quiz_with_plain_forms(candidate: Candidate) -> None:
    session = candidate.start()
    for position in (1, 2):
        form = form_of(candidate.page(session, position))
        sent = form.filled(go="next", **{"entry-1": right_answer(candidate.live, session, position)})
        on = candidate.client.post(form.action, data=sent)
    assert on.headers["location"] == f"{session}/finish"
    assert "Every item has an answer" in words_of(candidate.client.get(f"{session}/finish"))
    assert candidate.client.post(f"{session}/finish", data={"": ""}).headers["location"] == f"{session}/end"
    end = candidate.client.get(f"{session}/end")
    assert "You handed it in" in words_of(end)
    assert "points" not in words_of(end)
    with candidate.live.site.database.reading() as db:
        assert [one.credit for one in newest_grades(db, [UUID(session.rpartition("/")[2])])] == [1.0, 1.0]
    assert candidate.client.get(f"{session}/items/1").headers["location"] == f"{session}/end"
    assert "Go on" in words_of(candidate.client.get(candidate.link))


def test_score_and_items_are_shown_when_the_quiz_says_so(live: LiveSite) -> None:
    candidate = invited(live, publish(live, show_score="after_submit", show_items="after_submit"))
    session = candidate.start()
    candidate.put(session, epoch_of(candidate.page(session)), 1, right_answer(live, session, 1))
    candidate.client.post(f"{session}/finish", data={"": ""})
    words = words_of(candidate.client.get(f"{session}/end"))
    assert "1 of 2 points, 50 ± 50 percent" in words
    assert "Item 2" in words


def test_each_change_is_saved_and_comes_back_on_another_device(candidate: Candidate) -> None:
    session = candidate.start()
    epoch = epoch_of(candidate.page(session))
    for sequence, text in enumerate(("4", "4.5"), 1):
        saved = candidate.put(session, epoch, sequence, text)
        assert (saved.status_code, saved.json()["state"]) == (200, "saved")
        assert 0 < saved.json()["seconds"] <= 36 * 60
    other = candidate.live.visitor()
    assert other.get(f"{session}/items/1").status_code == 404
    resumed = re.search(r'href="(/sessions/[^"]+/items/1)"', other.get(candidate.link).text)
    assert resumed is not None
    assert form_of(other.get(resumed[1])).fields["entry-1"] == "4.5"


def test_second_tab_takes_over_and_the_first_is_told(candidate: Candidate) -> None:
    session = candidate.start()
    first = epoch_of(candidate.page(session))
    candidate.put(session, first, 1, "1")
    second = epoch_of(candidate.page(session, 2))
    refused = candidate.put(session, first, 2, "2")
    assert (refused.status_code, refused.json()["state"]) == (409, "stale")
    assert candidate.put(session, second, 1, "7", position=2).status_code == 200
    plain = {"epoch": str(first), "sequence": "3", "entry-1": "3", "go": "next"}
    back = candidate.client.post(f"{session}/items/1", data=plain)
    assert back.headers["location"] == f"{session}/items/1?stale=1"
    page = candidate.client.get(back.headers["location"])
    assert "opened somewhere else" in words_of(page)
    assert form_of(page).fields["entry-1"] == "1"
    assert kept(candidate.live, session) == [["1"], ["7"]]


def test_answer_after_the_deadline_is_refused_with_a_sentence_and_the_last_one_counts(candidate: Candidate) -> None:
    session = candidate.start()
    epoch = epoch_of(candidate.page(session))
    candidate.put(session, epoch, 1, right_answer(candidate.live, session, 1))
    with time_machine.travel(now() + timedelta(minutes=36, seconds=11), tick=True):
        late = candidate.put(session, epoch, 2, "0")
        assert (late.status_code, late.json()["state"]) == (409, "late")
        assert "does not count" in late.json()["message"]
        assert candidate.client.get(f"{session}/items/1").headers["location"] == f"{session}/end"
        assert "The time ended it" in words_of(candidate.client.get(f"{session}/end"))
    with candidate.live.site.database.reading() as db:
        assert [one.credit for one in newest_grades(db, [UUID(session.rpartition("/")[2])])] == [1.0, 0.0]


def test_added_minutes_reach_the_page_without_a_reload(candidate: Candidate) -> None:
    session = candidate.start()
    before = candidate.client.get(f"{session}/time").json()
    with candidate.live.site.database.writing() as db:
        add_minutes(db, db.get_one(QuizSession, UUID(session.rpartition("/")[2])), 15, None, now())
    after = candidate.client.get(f"{session}/time").json()
    assert 890 <= after["seconds"] - before["seconds"] <= 900
    assert after["deadline"] > before["deadline"]


def test_flag_shows_in_the_list_and_goes_again(candidate: Candidate) -> None:
    session = candidate.start()
    for shown in (True, False):
        form = form_of(candidate.page(session))
        back = candidate.client.post(form.action, data=form.fields | {"go": "flag"})
        assert back.headers["location"] == f"{session}/items/1"
        assert ("flagged" in words_of(candidate.page(session))) is shown


def test_problem_with_an_item_and_feedback_reach_the_team(candidate: Candidate) -> None:
    session = candidate.start()
    candidate.client.post(f"{session}/notes/2", data={"text": "Two options look the same."})
    candidate.client.post(f"{session}/notes/0", data={"text": "Fine."})
    candidate.client.post(f"{session}/notes/0", data={"text": "  "})
    assert candidate.client.post(f"{session}/notes/9", data={"text": "x"}).status_code == 404
    with candidate.live.site.database.reading() as db:
        told = [(one.position, one.text) for one in db.scalars(select(CandidateNote).order_by(CandidateNote.id))]
    assert told == [(2, "Two options look the same."), (None, "Fine.")]


def test_signals_are_taken_only_where_the_quiz_disclosed_them(live: LiveSite) -> None:
    quiet = invited(live, publish(live))
    session = quiet.start()
    assert "data-signals" not in quiet.page(session).text
    assert quiet.client.post(f"{session}/signals", data={"kind": "focus_lost"}).status_code == 409
    open_ = invited(live, publish(live, signals=True))
    assert "loses the focus" in words_of(open_.client.get(open_.link))
    session = open_.start()
    assert "data-signals" in open_.page(session).text
    assert open_.client.post(f"{session}/signals", data={"kind": "focus_lost"}).status_code == 200
    assert open_.client.post(f"{session}/signals", data={"kind": "anything"}).status_code == 409


BODIES = [
    b"",
    b"[]",
    b"null",
    b"{}",
    b'{"epoch": 1, "sequence": 1}',
    b'{"epoch": "1", "sequence": 1, "fields": {}}',
    b'{"epoch": true, "sequence": 1, "fields": {}}',
    b'{"epoch": 1, "sequence": -1, "fields": {}}',
    b'{"epoch": 1, "sequence": 1, "fields": {"entry-1": 4}}',
    b'{"epoch": 1, "sequence": 1, "fields": []}',
    b"\xff\xfe",
    b"[" * 60_000,
]


@pytest.mark.parametrize("body", BODIES, ids=range(len(BODIES)))
def test_save_of_the_wrong_kind_is_refused_and_stores_nothing(candidate: Candidate, body: bytes) -> None:
    session = candidate.start()
    epoch_of(candidate.page(session))
    headers = {"content-type": "application/json"}
    assert candidate.client.put(f"{session}/responses/1", content=body, headers=headers).status_code == 400
    assert rows(candidate.live, SavedResponse) == 0


def test_megabyte_another_type_and_an_item_that_is_not_there_are_refused(candidate: Candidate) -> None:
    session = candidate.start()
    epoch = epoch_of(candidate.page(session))
    assert candidate.put(session, epoch, 1, "x" * 1_000_000).status_code == 413
    assert candidate.client.put(f"{session}/responses/1", data={"epoch": "1"}).status_code == 400
    for position in (0, 3, 10**9):
        assert candidate.put(session, epoch, 1, "1", position=position).status_code == 400
    assert (
        candidate.client.put(f"{session}/responses/x", json={"epoch": 1, "sequence": 1, "fields": {}}).status_code
        == 422
    )
    assert rows(candidate.live, SavedResponse) == 0


def test_session_of_another_candidate_does_not_exist(candidate: Candidate) -> None:
    session = candidate.start()
    other = invited(candidate.live, candidate.quiz_id)
    other.start()
    for path in ("", "/items/1", "/time", "/finish", "/end"):
        assert other.client.get(session + path).status_code == 404
    assert other.put(session, 1, 1, "1").status_code == 404
    assert other.client.post(f"{session}/finish", data={"": ""}).status_code == 404


@pytest.mark.parametrize("secret", ["x", "a" * 43, "..%2f..", "%00", "a" * 3000])
def test_forged_link_leads_nowhere(live: LiveSite, secret: str) -> None:
    page = live.visitor().get(f"/invitations/{secret}")
    assert page.status_code == 404
    assert live.visitor().post(f"/invitations/{secret}/start", data={"": ""}).status_code == 404


def test_cookie_of_another_key_and_of_another_invitation_lets_nobody_in(candidate: Candidate) -> None:
    session = candidate.start()
    name, value = next(one for one in candidate.client.cookies.items() if one[0].startswith("gradproof_candidate"))
    for forged in (value[:-2] + "xx", json.dumps("x"), ""):
        stranger = candidate.live.visitor()
        stranger.cookies.set(name, forged)
        assert stranger.get(f"{session}/items/1").status_code == 404
