"""Who a program acts for: aliases that a handler of the API takes, each with the scope that it needs.

A key alone opens the API, never a cookie. It is looked up by its hash in a short transaction of its own, counted
against its share, and then asked for the scope. Whoever sends wrong keys is counted by address.
"""

from collections.abc import Callable, Coroutine, Iterator
from dataclasses import dataclass
from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Depends, Request, Security
from fastapi.routing import APIRoute
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer, SecurityScopes
from sqlalchemy.orm import Session
from starlette.responses import Response
from starlette.types import Message

from app.clock import now
from app.errors import GradproofError
from app.hiring.api_keys import Scope, note_use
from app.models import ApiKey
from app.models.integration import key_by_hash
from app.tokens import hash_secret
from app.web.dependencies import CurrentSite, Site, address_share
from app.web.forms import read_body
from app.web.limiter import Rate

LARGEST_BODY = 64 * 1024
GUESSES = Rate(burst=20, per_minute=10)
TOO_MANY_REQUESTS = "This key asked more than its share. Nothing was done: ask again in {wait}."
TOO_MANY_GUESSES = "Too many wrong keys came from this address. Ask again in {wait}."
BEARER = HTTPBearer(auto_error=False, scheme_name="key", description="A key of the team's integrations page.")


class KeyNeededError(GradproofError):
    """The request has no key, or one that opens nothing."""

    status = 401
    title = "No key"


class ScopeNeededError(GradproofError):
    """The key works, and may not do this."""

    status = 403
    title = "This key may not do that"


@dataclass(frozen=True, slots=True)
class KeyAccess:
    """The key that a program acts with, and the team it acts for."""

    key: ApiKey

    @property
    def team_id(self) -> UUID:
        """Return the team whose key it is."""
        return self.key.team_id

    def may(self, scope: Scope) -> bool:
        """Say whether the key has a scope."""
        return scope in self.key.scopes


def open_with(request: Request, site: Site, secret: str, scopes: list[str]) -> KeyAccess:
    """Return what a key opens.

    Raises `KeyNeededError`, `ScopeNeededError`, or `TooManyRequestsError` where its share is used up.
    """
    with site.database.reading() as session:
        key = key_by_hash(session, hash_secret(secret)) if secret else None
    if key is None:
        address = address_share(request.client.host) if request.client else "unknown"
        site.limiter.admit((f"wrong key:{address}", GUESSES), sentence=TOO_MANY_GUESSES)
        raise KeyNeededError("Send a key of the team's integrations page that was not revoked. Nothing was done.")
    share = Rate(site.settings.api_burst, site.settings.api_per_minute)
    site.limiter.admit((f"key:{key.id}", share), sentence=TOO_MANY_REQUESTS)
    note_use(site.database, key, now())
    lacking = [one for one in scopes if one not in key.scopes]
    if lacking:
        raise ScopeNeededError(f"It needs the scope {lacking[0]}. Make a key that has it. Nothing was done.")
    return KeyAccess(key)


def get_key_access(
    request: Request,
    site: CurrentSite,
    scopes: SecurityScopes,
    sent: Annotated[HTTPAuthorizationCredentials | None, Depends(BEARER)],
) -> KeyAccess:
    """Return what the key of the `Authorization` header opens."""
    return open_with(request, site, sent.credentials if sent else "", scopes.scopes)


QuizReader = Annotated[KeyAccess, Security(get_key_access, scopes=[Scope.QUIZZES_READ])]
InvitationReader = Annotated[KeyAccess, Security(get_key_access, scopes=[Scope.INVITATIONS_READ])]
Inviter = Annotated[KeyAccess, Security(get_key_access, scopes=[Scope.INVITATIONS_WRITE])]
ResultReader = Annotated[KeyAccess, Security(get_key_access, scopes=[Scope.RESULTS_READ])]
TimeGiver = Annotated[KeyAccess, Security(get_key_access, scopes=[Scope.MINUTES_ADD])]


def get_api_session(site: CurrentSite) -> Iterator[Session]:
    """Open a writing transaction that commits before the response leaves; a handler names it after its key."""
    with site.database.writing() as session:
        yield session


# With FastAPI's default scope the transaction would end after the response left.
ApiDb = Annotated[Session, Depends(get_api_session, scope="function")]


class BoundedRoute(APIRoute):
    """A route whose body is read whole before anything else happens, and refused where it is too large."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Return the handler behind the limit."""
        handle = super().get_route_handler()

        async def bounded(request: Request) -> Response:
            body = await read_body(request, LARGEST_BODY)

            async def receive() -> Message:
                return {"type": "http.request", "body": body, "more_body": False}

            return await handle(Request(request.scope, receive))

        return bounded


def api_router(tag: str) -> APIRouter:
    """Return a router below `/api/v1`, whose operations have the names of their functions."""
    return APIRouter(
        prefix="/api/v1", tags=[tag], route_class=BoundedRoute, generate_unique_id_function=lambda route: route.name
    )
