"""Who may see what, as `Annotated` aliases: a handler that takes one of them needs no check of its own.

`CurrentAccount` is somebody who is signed in; `TeamReviewer`, `TeamAuthor` and `TeamOwner` are members of the team in
the address who may do that much; `Administrator` runs the site; `CurrentCandidate` holds the
invitation of the session in the address. To everybody else a team does not exist (404): only a
member with too small a role is told so (403). A check reads in a short transaction of its own, which is closed before
the handler begins: what it returns can be read, and a handler that changes something fetches it in its own.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated
from urllib.parse import quote
from uuid import UUID

from fastapi import Depends, FastAPI, Request
from sqlalchemy import select
from starlette.responses import RedirectResponse, Response

from app.clock import now
from app.errors import GradproofError, NotFoundError
from app.models import Account, Invitation, LoginSession, Membership, Quiz, QuizSession, Team
from app.models.account import account_by_token
from app.models.team import Role, membership_of
from app.tokens import hash_secret
from app.web.dependencies import SESSION_COOKIE, CurrentSite
from app.web.error_pages import error_page


class SignInNeededError(GradproofError):
    """The page is for people who are signed in."""

    status = 401
    title = "Sign in first"


class RoleNeededError(GradproofError):
    """A member asks for what their role may not do."""

    status = 403
    title = "Your role does not allow this"


@dataclass(frozen=True, slots=True)
class SignedIn:
    """Who is signed in, and with which of their browsers."""

    account: Account
    login: LoginSession


@dataclass(frozen=True, slots=True)
class TeamAccess:
    """A member, and the team they are in."""

    team: Team
    membership: Membership
    account: Account


def get_signed_in(request: Request, site: CurrentSite) -> SignedIn | None:
    """Return who the session cookie signs in, or `None`."""
    token = request.cookies.get(SESSION_COOKIE)
    if not token:
        return None
    with site.database.reading() as session:
        found = account_by_token(session, hash_secret(token), now())
    return None if found is None else SignedIn(*found)


MaybeSignedIn = Annotated[SignedIn | None, Depends(get_signed_in)]


def get_account(signed_in: MaybeSignedIn) -> SignedIn:
    """Return who is signed in, or raise `SignInNeededError`."""
    if signed_in is None:
        raise SignInNeededError("This page belongs to an account. Nothing was changed.")
    return signed_in


CurrentAccount = Annotated[SignedIn, Depends(get_account)]


def _team_access(needed: Role) -> Callable[..., TeamAccess]:
    def get_team_access(team_id: UUID, signed_in: CurrentAccount, site: CurrentSite) -> TeamAccess:
        with site.database.reading() as session:
            membership = membership_of(session, team_id, signed_in.account.id)
            team = session.get(Team, team_id)
        if membership is None or team is None:
            raise NotFoundError("There is no such team, or you are not in it.")
        if not membership.may(needed):
            raise RoleNeededError(f"This takes the role {needed}, and yours is {membership.role}. Ask an owner.")
        return TeamAccess(team, membership, signed_in.account)

    return get_team_access


TeamReviewer = Annotated[TeamAccess, Depends(_team_access(Role.REVIEWER))]
TeamAuthor = Annotated[TeamAccess, Depends(_team_access(Role.AUTHOR))]
TeamOwner = Annotated[TeamAccess, Depends(_team_access(Role.OWNER))]


def get_administrator(signed_in: CurrentAccount) -> SignedIn:
    """Return an administrator; to everybody else the page does not exist."""
    if not signed_in.account.is_admin:
        raise NotFoundError("There is no page at this address.")
    return signed_in


Administrator = Annotated[SignedIn, Depends(get_administrator)]


@dataclass(frozen=True, slots=True)
class CandidateAccess:
    """A candidate in their own quiz session, with what it belongs to."""

    running: QuizSession
    invitation: Invitation
    quiz: Quiz


CANDIDATE_COOKIE = "gradproof_candidate_"


def candidate_cookie(invitation_id: UUID) -> str:
    """Return the name of the cookie that one invitation has in a browser; several may be open in one."""
    return f"{CANDIDATE_COOKIE}{invitation_id.hex[:12]}"


def get_candidate(request: Request, session_id: UUID, site: CurrentSite) -> CandidateAccess:
    """Return the candidate of the session in the address, or raise `NotFoundError` for everybody else.

    The cookie is set where the invitation's link is opened, so a session goes on wherever the link does.
    """
    with site.database.reading() as session:
        query = select(QuizSession, Invitation, Quiz).join(Invitation, Invitation.id == QuizSession.invitation_id)
        found = session.execute(query.join(Quiz, Quiz.id == QuizSession.quiz_id).where(QuizSession.id == session_id))
        row = found.one_or_none()
    if row is not None:
        running, invitation, quiz = row
        cookie = request.cookies.get(candidate_cookie(invitation.id), "")
        if site.signer.read_candidate(cookie) == invitation.id:
            return CandidateAccess(running, invitation, quiz)
    raise NotFoundError("There is no such quiz session in this browser. Open your invitation link again.")


CurrentCandidate = Annotated[CandidateAccess, Depends(get_candidate)]


def next_path(text: str) -> str:
    """Return a path of this site to go on to, `/teams` for anything that would lead elsewhere."""
    leads_away = not text.startswith("/") or text.startswith(("//", "/\\")) or any(ord(one) < 33 for one in text)
    return "/teams" if leads_away or len(text) > 500 else text


def ask_to_sign_in(request: Request, error: Exception) -> Response:
    """Lead a reader to the sign-in page and back; say so on a page where a form was sent."""
    if request.method in {"GET", "HEAD"}:
        return RedirectResponse(f"/sign-in?next={quote(request.url.path, safe='/')}", 303)
    failure = error if isinstance(error, SignInNeededError) else SignInNeededError(str(error))
    return error_page(request, failure.status, failure.title, failure.message)


def add_sign_in_redirect(app: FastAPI) -> None:
    """Install the handler for pages that need somebody signed in."""
    app.add_exception_handler(SignInNeededError, ask_to_sign_in)
