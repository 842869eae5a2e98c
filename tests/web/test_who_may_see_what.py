"""Every route of the application, walked as nobody, as a stranger, as a candidate and in each role."""

from dataclasses import dataclass
from pathlib import Path
from uuid import UUID, uuid4

import httpx
import pytest
from fastapi import FastAPI
from fastapi.routing import APIRoute

from app.accounts.sign_in import open_session
from app.clock import now
from app.hiring.team_items import check_files, store_files
from app.main import create_app
from app.models import Account, Membership, Quiz, Team
from app.models.account import account_by_email
from app.settings import Settings
from app.web.dependencies import SESSION_COOKIE
from tests.banks import write_bank
from tests.hiring.content import ITEMS
from tests.hiring.own_items import file_of
from tests.live import LiveSite
from tests.web.test_accounts import new_team, signed_up
from tests.web.test_quiz_sessions import Candidate, invited, publish

# What anybody may open; everything else belongs to somebody. A new route that is in neither list fails the first test.
OPEN = {
    "/",
    "/practice",
    "/practice/next",
    "/practice/{item_id}",
    "/history",
    "/history/quizzes",
    "/history/beliefs",
    "/history/beliefs/{belief}",
    "/attempts/{attempt_id}",
    "/attempts/{attempt_id}/again",
    "/glossary",
    "/topics/{topic_id}",
    "/bank",
    "/patterns",
    "/healthz",
    "/static/math.otf",
    "/sign-up",
    "/sign-in",
    "/sign-out",
    "/forgot",
    "/reset/{secret}",
    "/open/{secret}",
    "/privacy",
    "/api/v1/openapi.json",
}
BY_LINK = ("/invitations/{secret}",)
# What a reviewer may send: taking a member out is for owners, and leaving is for everybody.
REVIEWER_MAY = {"/teams/{team_id}/members/{account_id}/remove"}


@pytest.fixture
def settings(settings: Settings, tmp_path: Path) -> Settings:
    return settings.model_copy(update={"bank": write_bank(tmp_path / "bank", ITEMS)})


def routes_of(app: FastAPI) -> list[tuple[str, str]]:
    """Return (method, path) of every route of the application, those of the routers it includes too."""
    included = [getattr(one, "original_router", None) for one in app.routes]
    listed = [*app.routes, *(route for router in included if router is not None for route in router.routes)]
    return sorted({(method, one.path) for one in listed if isinstance(one, APIRoute) for method in one.methods or ()})


@dataclass
class World:
    """A team with a published quiz, a session that runs, and an item of its own."""

    live: LiveSite
    routes: list[tuple[str, str]]
    team: UUID
    quiz: UUID
    session: str
    item: UUID
    candidate: Candidate

    def address(self, path: str) -> str:
        """Return a path with the ids of this world in it, and fresh ones where it has none."""
        known = {
            "team_id": self.team,
            "quiz_id": self.quiz,
            "session_id": self.session,
            "item_id": self.item,
            "position": 1,
            "page": 1,
        }
        while "{" in path:
            name = path.partition("{")[2].partition("}")[0]
            path = path.replace(f"{{{name}}}", str(known.get(name, uuid4())), 1)
        return path

    def member(self, role: str) -> httpx.Client:
        """Return the browser of a member with a role."""
        email = f"{role}-{uuid4().hex[:8]}@example.org"
        client = signed_up(self.live, email)
        with self.live.site.database.writing() as session:
            account = account_by_email(session, email)
            assert account is not None
            session.add(Membership(team_id=self.team, account_id=account.id, role=role, created_at=now()))
        return client

    def ask(self, client: httpx.Client, method: str, path: str) -> httpx.Response:
        """Send a request with an empty form, or an empty JSON where the method is for scripts."""
        address = self.address(path)
        if method == "GET":
            return client.get(address)
        if method == "POST":
            return client.post(address, data={"": ""})
        return client.request(method, address, json={})


@pytest.fixture
def world(live: LiveSite, settings: Settings) -> World:
    quiz_id = publish(live)
    candidate = invited(live, quiz_id)
    session = candidate.start().rpartition("/")[2]
    with live.site.database.reading() as db:
        team = db.get_one(Quiz, quiz_id).team_id
    checked = check_files([file_of("own-square")], live.site.bank, {})
    with live.site.database.writing() as db:
        (item,) = store_files(db, team, db.query(Account).one().id, checked, now())
    return World(live, routes_of(create_app(settings)), team, quiz_id, session, item.item_id, candidate)


def of_team(world: World) -> list[tuple[str, str]]:
    return [one for one in world.routes if one[1].startswith("/teams/{team_id}")]


def of_session(world: World) -> list[tuple[str, str]]:
    return [one for one in world.routes if one[1].startswith("/sessions/{session_id}")]


def test_every_route_is_known_to_be_open_or_to_belong_to_somebody(world: World) -> None:
    owned = ("/teams", "/sessions/{session_id}", "/account", "/join/", "/api", *BY_LINK)
    unknown = [path for _, path in world.routes if path not in OPEN and not path.startswith(owned)]
    assert unknown == []
    assert of_team(world)
    assert of_session(world)


def test_nobody_and_a_candidate_are_asked_to_sign_in_for_every_page_of_a_team(world: World) -> None:
    for client in (world.live.visitor(), world.candidate.client):
        for method, path in of_team(world):
            answer = world.ask(client, method, path)
            asked = answer.status_code == 303 and answer.headers["location"].startswith("/sign-in")
            assert asked or answer.status_code in {401, 422}, (method, path, answer.status_code)
            assert method != "GET" or asked, path


def test_team_does_not_exist_for_the_owner_of_another_one(world: World) -> None:
    stranger = signed_up(world.live, "stranger@example.org")
    new_team(stranger)
    for method, path in of_team(world):
        assert world.ask(stranger, method, path).status_code in {404, 422}, (method, path)
    with world.live.site.database.reading() as session:
        assert session.get_one(Team, world.team).name == "Vision"


def test_reviewer_changes_nothing(world: World) -> None:
    reviewer = world.member("reviewer")
    for method, path in of_team(world):
        answer = world.ask(reviewer, method, path)
        if method == "GET":
            assert answer.status_code in {200, 303, 400, 403, 404, 409, 422}, (path, answer.status_code)
        elif path not in REVIEWER_MAY and "/marks" not in path:
            assert answer.status_code in {403, 404, 422}, (method, path, answer.status_code)


def test_author_neither_sees_audit_and_integrations_nor_changes_members_and_settings(world: World) -> None:
    author = world.member("author")
    for method, path in of_team(world):
        for_owners = any(
            part in path for part in ("/audit", "/settings", "/erase", "/member-invitations", "/role", "/integrations")
        )
        if for_owners or (method == "POST" and path.endswith("/members")):
            assert world.ask(author, method, path).status_code in {403, 404, 422}, (method, path)
    assert author.get(world.address("/teams/{team_id}")).status_code == 200


def test_session_belongs_to_its_candidate_alone(world: World) -> None:
    other = invited(world.live, world.quiz)
    other.start()
    for client in (world.live.visitor(), world.member("owner"), other.client):
        for method, path in of_session(world):
            assert world.ask(client, method, path).status_code in {400, 404, 422}, (method, path)
    assert world.candidate.client.get(f"/sessions/{world.session}/items/1").status_code == 200


def test_account_pages_ask_nobody_in(world: World) -> None:
    for method, path in world.routes:
        if path.startswith(("/account", "/join/")) or path in {"/teams", "/teams/new"}:
            answer = world.ask(world.live.visitor(), method, path)
            assert answer.status_code in {303, 401}, (method, path)
            assert method != "GET" or answer.headers["location"].startswith("/sign-in"), path


def test_session_of_an_account_that_expired_is_nobodys(world: World) -> None:
    client = world.member("owner")
    with world.live.site.database.writing() as session:
        account = session.query(Account).filter(Account.email.startswith("owner-")).one()
        opened = open_session(session, account, now().replace(year=2020), "")
    client.cookies.clear()
    client.cookies.set(SESSION_COOKIE, opened.token)
    assert client.get(world.address("/teams/{team_id}")).headers["location"].startswith("/sign-in")
