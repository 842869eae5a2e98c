"""The JSON API over real HTTP: what a key opens, what each operation answers, and hostile requests."""

import json
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import httpx
import pytest
from fastapi.routing import APIRoute

from app.clock import now
from app.hiring.api_keys import Scope, make_key, revoke_key
from app.hiring.score_reports import release
from app.models import ApiKey, Delivery, Invitation, Quiz, QuizSession
from app.settings import Settings
from app.web.api.document import ROUTERS, document
from tests.banks import write_bank
from tests.hiring.content import ITEMS
from tests.live import LiveSite, words_of
from tests.web.reported import member, taken
from tests.web.test_quiz_sessions import invited, publish

ALL = [one for one in Scope if one is not Scope.PARTNER]
GUEST = {"email": "Ada@example.org ", "name": "Ada Lovelace", "extra_percent": 25}
JSON = {"content-type": "application/json"}
BODIES: dict[str, Any] = {"invitations": GUEST, "extra-time": {"extra_percent": 5}, "minutes": {"minutes": 5}}
ROUTES = [
    (min(one.methods or ()), one.path) for router in ROUTERS for one in router.routes if isinstance(one, APIRoute)
]


@pytest.fixture
def settings(settings: Settings, tmp_path: Path) -> Settings:
    return settings.model_copy(update={"bank": write_bank(tmp_path / "bank", ITEMS)})


@pytest.fixture
def quiz_id(live: LiveSite) -> UUID:
    return publish(live)


def key_for(live: LiveSite, quiz_id: UUID, *scopes: Scope) -> str:
    """Make a key of the team that has a quiz and return its secret."""
    with live.site.database.writing() as session:
        quiz = session.get_one(Quiz, quiz_id)
        assert quiz.created_by is not None
        _, secret = make_key(
            session,
            quiz.team_id,
            quiz.created_by,
            now(),
            name="Script",
            scopes=scopes or ALL,
            hosts=[],
            sealer=live.site.sealer,
        )
        return secret


def program(live: LiveSite, secret: str) -> httpx.Client:
    client = live.visitor(authorization=f"Bearer {secret}")
    client.base_url = f"{live.url}/api/v1"
    return client


@pytest.fixture
def api(live: LiveSite, quiz_id: UUID) -> httpx.Client:
    """A program with a key of every scope."""
    return program(live, key_for(live, quiz_id))


def problem_of(answer: httpx.Response, status: int) -> dict[str, Any]:
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    found: dict[str, Any] = answer.json()
    assert found["status"] == status
    assert found["type"].startswith("urn:gradproof:problem:")
    assert found["title"]
    assert found["detail"]
    return found


def address(path: str, quiz_id: object) -> str:
    for name in ("quiz_id", "invitation_id", "session_id"):
        path = path.replace(f"{{{name}}}", str(quiz_id if name == "quiz_id" else uuid4()))
    return path


def count(live: LiveSite, table: type) -> int:
    with live.site.database.reading() as session:
        return session.query(table).count()


def test_document_lists_every_operation_with_its_scope_and_every_reference_leads_somewhere(live: LiveSite) -> None:
    answer = live.visitor().get("/api/v1/openapi.json")
    assert answer.status_code == 200
    found = answer.json()
    listed = {(method.upper(), path) for path, methods in found["paths"].items() for method in methods}
    assert listed == set(ROUTES)
    operations = [one for methods in found["paths"].values() for one in methods.values()]
    assert all(set(one["security"][0]["key"]) <= set(Scope) and one["description"] for one in operations)
    assert len({one["operationId"] for one in operations}) == len(operations)
    text = json.dumps(found)
    used = {one.split('"')[0] for one in text.split("#/components/schemas/")[1:]}
    assert used == {name for name in used if name in found["components"]["schemas"]}
    assert set(found["components"]["schemas"]) == used
    docs = (Path(__file__).parents[2] / "docs" / "api.md").read_text()
    assert [f"`{method} {path.removeprefix('/api/v1')}`" in docs for method, path in ROUTES] == [True] * len(ROUTES)
    assert all(f"`{scope}`" in docs for scope in Scope)


def ask(client: httpx.Client, method: str, path: str, **more: Any) -> httpx.Response:
    """Send a request that would be right for whoever may."""
    body = BODIES.get(path.rpartition("/")[2]) if method == "POST" else None
    return client.request(method, path.removeprefix("/api/v1"), json=body, **more)


def test_without_a_key_that_works_nothing_opens(live: LiveSite, quiz_id: UUID) -> None:
    secret = key_for(live, quiz_id)
    with live.site.database.writing() as session:
        key = session.query(ApiKey).one()
        revoke_key(session, key, key.id, now())
    client, _ = member(live, quiz_id, "owner")  # a cookie is no key
    client.base_url = f"{live.url}/api/v1"
    wrong = ("", f"Bearer {secret}", f"Bearer {secret[:-1]}x", "Bearer", f"Basic {secret}", "Bearer " + "x" * 5000)
    for n, (method, path) in enumerate(ROUTES):
        answer = ask(client, method, address(path, quiz_id), headers={"authorization": wrong[n % len(wrong)]})
        problem_of(answer, 401)
        assert answer.headers["www-authenticate"].startswith("Bearer")
    assert count(live, Invitation) == 0
    answers = [client.get("/quizzes").status_code for _ in range(20)]
    assert answers[-1] == 429  # guessing is counted by address
    assert "wrong keys" in problem_of(client.get("/quizzes"), 429)["detail"]
    assert program(live, key_for(live, quiz_id)).get("/quizzes").status_code == 200


def test_each_operation_needs_its_scope_and_no_key_reaches_another_team(
    live: LiveSite, quiz_id: UUID, api: httpx.Client
) -> None:
    other = publish(live)
    stranger = program(live, key_for(live, other))
    made = api.post(f"/quizzes/{quiz_id}/invitations", json=GUEST).json()["id"]
    for method, path in ROUTES:
        (need,) = document()["paths"][path][method.lower()]["security"][0]["key"]
        weak = program(live, key_for(live, quiz_id, *(one for one in ALL if one != need)))
        place = address(path.replace("{invitation_id}", made), quiz_id)
        assert need in problem_of(ask(weak, method, place), 403)["detail"]
        if "{" in path:
            problem_of(ask(stranger, method, place), 404)
    assert count(live, Invitation) == 1
    assert [one["id"] for one in stranger.get("/quizzes").json()["data"]] == [str(other)]


def test_quizzes_are_listed_page_by_page_and_a_draft_among_them(
    live: LiveSite, quiz_id: UUID, api: httpx.Client
) -> None:
    with live.site.database.writing() as session:
        one = session.get_one(Quiz, quiz_id)
        for n in range(4):  # two of them made at the very same moment
            at = one.created_at + timedelta(seconds=n // 2)
            session.add(Quiz(id=uuid4(), team_id=one.team_id, title=f"Draft {n}", minutes=10, created_at=at))
    whole = [one["id"] for one in api.get("/quizzes").json()["data"]]
    assert len(whole) == 5
    seen: list[str] = []
    after = None
    while not seen or after:
        page = api.get("/quizzes", params={"limit": 2} | ({"after": after} if after else {})).json()
        seen += [one["id"] for one in page["data"]]
        after = page["next"]
    assert seen == whole
    found = api.get(f"/quizzes/{quiz_id}").json()
    assert (found["title"], found["state"], found["items"], found["minutes"]) == ("Slopes", "published", 2, 30)
    for wrong in ({"limit": 0}, {"limit": 101}, {"after": "x"}, {"limit": "many"}):
        (error,) = problem_of(api.get("/quizzes", params=wrong), 422)["errors"]
        assert (error["in"], error["pointer"]) == ("query", f"/{next(iter(wrong))}")
    problem_of(api.get("/quizzes", params={"after": str(uuid4())}), 404)


def test_invitation_is_made_once_for_an_id_with_one_link_and_one_mail(
    live: LiveSite, quiz_id: UUID, api: httpx.Client
) -> None:
    place, sent = f"/quizzes/{quiz_id}/invitations", GUEST | {"id": str(uuid4())}
    first, again = api.post(place, json=sent), api.post(place, json=sent)
    assert (first.status_code, again.status_code) == (201, 200)
    made = first.json()
    assert (made["id"], made["email"], made["state"]) == (sent["id"], "ada@example.org", "invited")
    assert made["link"].startswith(f"{live.site.base_url}/invitations/")
    assert again.json() == made | {"link": None}
    assert api.get(f"/invitations/{made['id']}").json() == made | {"link": None}
    assert live.visitor().get(made["link"].removeprefix(live.site.base_url)).status_code == 200
    assert (count(live, Invitation), count(live, Delivery)) == (1, 1)
    problem_of(api.post(place, json=sent | {"email": "other@example.org"}), 409)
    quiet = api.post(place, json={"email": "eve@example.org", "mail": False}).json()
    assert (quiet["mailed_at"], count(live, Delivery)) == (None, 1)
    listed = api.get(place).json()
    assert [one["id"] for one in listed["data"]] == [quiet["id"], made["id"]]
    page, _ = member(live, quiz_id, "owner")
    with live.site.database.reading() as session:
        team = session.get_one(Quiz, quiz_id).team_id
        key = session.query(ApiKey).one()
    assert key.used_at is not None
    assert "the API key “Script” invitation.made" in words_of(page.get(f"/teams/{team}/audit"))


def test_link_is_revoked_made_anew_and_given_more_time(live: LiveSite, quiz_id: UUID, api: httpx.Client) -> None:
    made = api.post(f"/quizzes/{quiz_id}/invitations", json=GUEST).json()
    place = f"/invitations/{made['id']}"
    new = api.post(f"{place}/resend").json()["link"]
    assert live.visitor().get(made["link"].removeprefix(live.site.base_url)).status_code == 404
    assert api.post(f"{place}/extra-time", json={"extra_percent": 50}).json()["extra_percent"] == 50
    problem_of(api.post(f"{place}/minutes", json={"minutes": 5}), 409)
    browser = live.visitor()
    assert browser.post(f"{new.removeprefix(live.site.base_url)}/start", data={"": ""}).status_code == 303
    clock = api.post(f"{place}/minutes", json={"minutes": 5}).json()
    running = api.get(place).json()
    assert (running["state"], running["session_id"], clock["added_minutes"]) == ("running", clock["session_id"], 5)
    problem_of(api.post(f"{place}/extra-time", json={"extra_percent": 5}), 409)
    other = api.post(f"/quizzes/{quiz_id}/invitations", json={"email": "b@example.org"}).json()
    for _ in range(2):
        assert api.post(f"/invitations/{other['id']}/revoke").json()["state"] == "revoked"
    problem_of(api.post(f"/invitations/{other['id']}/resend"), 409)


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({}, "/email"),
        ({"email": 7}, "/email"),
        ({"email": "a@example.org", "extra_percent": "20"}, "/extra_percent"),
        ({"email": "a@example.org", "extra_percent": True}, "/extra_percent"),
        ({"email": "a@example.org", "extra_percent": 401}, "/extra_percent"),
        ({"email": "a@example.org", "mail": "yes"}, "/mail"),
        ({"email": "a@example.org", "name": "x" * 121}, "/name"),
        ({"email": "a@example.org", "name": ["A"]}, "/name"),
        ({"email": "a@example.org", "expires_at": "tomorrow"}, "/expires_at"),
        ({"email": "a@example.org", "expires_at": "2030-01-01T00:00:00"}, "/expires_at"),
        ({"email": "a@example.org", "id": "1"}, "/id"),
        ({"email": "a@example.org", "extra": 20}, "/extra"),
        ([], ""),
        ("a@example.org", ""),
        (None, ""),
    ],
)
def test_body_of_the_wrong_kind_is_named_and_not_repeated(
    quiz_id: UUID, api: httpx.Client, live: LiveSite, body: object, pointer: str
) -> None:
    answer = api.post(f"/quizzes/{quiz_id}/invitations", content=json.dumps(body), headers=JSON)
    errors = problem_of(answer, 422)["errors"]
    assert [(one["in"], one["pointer"].rstrip("/")) for one in errors] == [("body", pointer)]
    assert "example.org" not in answer.text
    assert count(live, Invitation) == 0


def test_hostile_bodies_are_refused_with_what_to_do(live: LiveSite, quiz_id: UUID, api: httpx.Client) -> None:
    place = f"/quizzes/{quiz_id}/invitations"
    whole = json.dumps(GUEST).encode()

    def drip() -> Iterator[bytes]:
        for _ in range(1024):
            yield b" " * 1024

    problem_of(api.post(place, content=b" " * 1024 * 1024 + whole, headers=JSON), 413)
    problem_of(api.post(place, content=drip(), headers=JSON), 413)
    problem_of(api.post(place, content=whole[:-1], headers=JSON), 422)
    problem_of(api.post(place, content=b"[" * 60_000, headers=JSON), 400)
    problem_of(api.post(place, content=b'{"email": "\xff"}', headers=JSON), 400)
    problem_of(api.post(place, content=whole, headers={"content-type": "text/plain"}), 422)
    problem_of(api.post(place, data={"email": "a@example.org"}), 422)
    for email in ("ada", "a@b\nBcc: c@example.org", "a@example.org\x00", "\ud800@example.org"):
        problem_of(api.post(place, content=json.dumps({"email": email}), headers=JSON), 422)
    problem_of(api.post(place, json=GUEST | {"name": "A\x00"}), 422)
    problem_of(api.post(place, json=GUEST | {"expires_at": "2020-01-01T00:00:00Z"}), 422)
    problem_of(api.get("/nothing"), 404)
    problem_of(api.put("/quizzes"), 405)
    problem_of(api.get("/quizzes/x"), 422)
    assert api.post(place, json=GUEST, headers={"sec-fetch-site": "cross-site"}).status_code == 403
    assert count(live, Invitation) == 0


def test_draft_invites_nobody(live: LiveSite, quiz_id: UUID, api: httpx.Client) -> None:
    with live.site.database.writing() as session:
        session.get_one(Quiz, quiz_id).state = "closed"
    assert "Publish" in problem_of(api.post(f"/quizzes/{quiz_id}/invitations", json=GUEST), 409)["detail"]


def _texts(value: object) -> Iterator[str]:
    """Yield every text of some JSON data."""
    if isinstance(value, dict):
        yield from (text for inner in value.values() for text in _texts(inner))
    elif isinstance(value, list):
        yield from (text for inner in value for text in _texts(inner))
    elif isinstance(value, str):
        yield value


def test_report_has_no_answer_and_no_key_before_it_is_released(
    live: LiveSite, quiz_id: UUID, api: httpx.Client
) -> None:
    waiting = invited(live, quiz_id, "Eve")
    session_id = UUID(taken(live, quiz_id, right=(True, False)).rpartition("/")[2])
    running = UUID(waiting.start().rpartition("/")[2])
    open_ = api.get(f"/sessions/{running}").json()
    assert (open_["state"], open_["items"], open_["score"], open_["topics"]) == ("running", [], None, {})
    report = api.get(f"/sessions/{session_id}").json()
    assert (report["state"], report["score"]["points"], report["score"]["possible"]) == ("finished", 1.0, 2.0)
    assert sorted(one["credit"] for one in report["items"]) == [0.0, 1.0]
    assert [(one["response"], one["key"]) for one in report["items"]] == [(None, None)] * 2
    listed = api.get(f"/quizzes/{quiz_id}/results").json()["data"]
    assert {one["session_id"]: one["score"] and one["score"]["share"] for one in listed} == {
        str(session_id): 0.5,
        str(running): None,
    }
    assert not {"ada@example.org", "ada", "eve@example.org", "eve"} & {one.lower() for one in _texts([listed, report])}
    with live.site.database.writing() as session:
        row = session.get_one(QuizSession, session_id)
        release(session, row, session.get_one(Quiz, quiz_id).team_id, uuid4(), now())
    released = api.get(f"/sessions/{session_id}").json()
    assert released["released_at"]
    for one in released["items"]:
        right = one["key"]["values"] == one["response"]["entries"]
        assert right == (one["credit"] == 1.0), one


def test_session_whose_time_is_over_is_finished_by_whoever_asks(
    live: LiveSite, quiz_id: UUID, api: httpx.Client
) -> None:
    session_id = UUID(invited(live, quiz_id).start().rpartition("/")[2])
    with live.site.database.writing() as session:
        session.get_one(QuizSession, session_id).deadline = now() - timedelta(minutes=5)
    found = api.get(f"/sessions/{session_id}").json()
    assert (found["state"], found["submitted"], found["score"]["points"]) == ("finished", False, 0.0)


def test_key_has_a_share_of_its_own(live: LiveSite, quiz_id: UUID) -> None:
    busy, idle = (program(live, key_for(live, quiz_id)) for _ in range(2))
    answers = [busy.get("/quizzes")]
    while answers[-1].status_code == 200 and len(answers) < 600:  # the share fills up again meanwhile, five a second
        answers.append(busy.get("/quizzes"))
    assert len(answers) > 60
    answer = answers[-1]
    assert "more than its share" in problem_of(answer, 429)["detail"]
    assert int(answer.headers["retry-after"]) >= 1
    assert idle.get("/quizzes").status_code == 200
