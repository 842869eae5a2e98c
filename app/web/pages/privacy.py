"""`/privacy`: what is stored, for how long, and who sees it.

The periods are the very constants that delete, and every table of the database has its row here: a test holds the page
to both.
"""

from dataclasses import dataclass
from datetime import timedelta

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse

from app.accounts import recovery, sign_in, teams
from app.delivery import outbox
from app.settings import Settings
from app.web.access import MaybeSignedIn
from app.web.dependencies import PROFILE_COOKIE, PROFILE_SECONDS, SESSION_COOKIE, CurrentSite
from app.web.pages.invitations import COOKIE_SECONDS
from app.web.pages.shell import make_shell, show
from app.web.privacy_views import CookieRow, PrivacyPage, StoredGroup, StoredRow

router = APIRouter()

SELF = "You, and whoever runs the site"
TEAM = "The members of the team, and whoever runs the site"
RUNNER = "Whoever runs the site"
ACCOUNT_END = "Until you erase the account"
QUIZ_END = "The days that the quiz sets, after the end of your last session in it; without such a number until erased"
TEAM_END = "As long as the team has it"


@dataclass(frozen=True, slots=True)
class Stored:
    """One kind of data: the tables that hold it, whose it is, and what the page says of it."""

    group: str
    tables: tuple[str, ...]
    what: str
    until: str
    who: str


def _days(span: timedelta) -> str:
    return f"{span.days} day{'s' * (span.days != 1)}"


CANDIDATES, PRACTICE, ACCOUNTS, TEAMS = "Candidates", "Practice", "Accounts", "Teams and the site itself"
STORED = (
    Stored(CANDIDATES, ("invitations",), "Name, mail address, extra time, time zone, when invited", QUIZ_END, TEAM),
    Stored(
        CANDIDATES,
        ("quiz_sessions", "session_items"),
        "When you began and ended, your time, your items, what you flagged, your score",
        QUIZ_END,
        TEAM,
    ),
    Stored(
        CANDIDATES, ("saved_responses",), "What you entered, each time it changed, and when it arrived", QUIZ_END, TEAM
    ),
    Stored(
        CANDIDATES,
        ("session_events",),
        "Which item you opened and when, minutes that were added; when the page lost the focus only where the quiz "
        "says so before you start",
        QUIZ_END,
        TEAM,
    ),
    Stored(CANDIDATES, ("grades",), "What each item earned; of a first attempt it stays as nobody's", QUIZ_END, TEAM),
    Stored(CANDIDATES, ("review_marks",), "What reviewers of the team noted", QUIZ_END, TEAM),
    Stored(CANDIDATES, ("candidate_notes",), "What you told the team about the quiz or an item", QUIZ_END, TEAM),
    Stored(
        CANDIDATES,
        ("partner_interviews",),
        "The address of your application at the program that invited you, where one did",
        QUIZ_END,
        TEAM,
    ),
    Stored(
        PRACTICE,
        ("people", "attempts", "attempt_beliefs", "practice_totals"),
        "Every answer with its item, result, confidence and seconds, and totals of them. Without an account under a "
        "random number in a cookie",
        f"{ACCOUNT_END}; without an account there is no end: sign up in the same browser to erase it",
        SELF,
    ),
    Stored(ACCOUNTS, ("accounts",), "Mail address, name, time zone, the hash of the password", ACCOUNT_END, SELF),
    Stored(
        ACCOUNTS,
        ("login_sessions",),
        "Browsers that are signed in, as they name themselves",
        f"Until you sign out, {sign_in.SESSION_DAYS} days at most",
        SELF,
    ),
    Stored(
        ACCOUNTS,
        ("password_resets",),
        "That a link for a new password was asked for",
        f"{recovery.RESET_HOURS} hours",
        RUNNER,
    ),
    Stored(
        ACCOUNTS,
        ("sign_in_failures",),
        "How often signing in failed, under the hash of a mail address and of a network address",
        f"{_days(sign_in.FORGET_AFTER)} after the last time",
        RUNNER,
    ),
    Stored(ACCOUNTS, ("memberships",), "Your role in a team", "Until you leave it", "The members of the team"),
    Stored(
        ACCOUNTS,
        ("member_invitations",),
        "The mail address that was invited into a team",
        f"{teams.INVITATION_DAYS} days",
        "The owners of the team",
    ),
    Stored(
        TEAMS,
        ("deliveries",),
        "Mails and messages to other programs, with where they went; the text of a mail until it has left",
        f"{_days(outbox.FORGET_AFTER)} after they left or were given up; with the candidate where one is erased",
        "The owners of the team see those to other programs",
    ),
    Stored(
        TEAMS,
        ("audit_entries",),
        "Who did what and when, under numbers; no name and no mail address",
        "No end. The numbers lead nowhere once somebody is erased",
        "The owners of the team",
    ),
    Stored(
        TEAMS,
        (
            "teams",
            "quizzes",
            "quiz_slots",
            "pool_variants",
            "team_items",
            "rescores",
            "public_links",
            "api_keys",
            "webhook_endpoints",
        ),
        "Names of teams, quizzes, items and links, with who made them",
        TEAM_END,
        "The members of the team",
    ),
    Stored(TEAMS, ("leases",), "Which process does the work in the background", "Seconds", RUNNER),
)


def _group(name: str) -> StoredGroup:
    rows = tuple(StoredRow(one.what, one.until, one.who) for one in STORED if one.group == name)
    first = rows[0]
    if len(rows) > 1 and {(one.until, one.who) for one in rows} == {(first.until, first.who)}:
        return StoredGroup(name, rows, first.until, first.who)
    return StoredGroup(name, rows)


def _cookies() -> tuple[CookieRow, ...]:
    day = 24 * 3600
    return (
        CookieRow(
            PROFILE_COOKIE,
            "the random number of your practice, from the first item on",
            f"{PROFILE_SECONDS // day} days",
        ),
        CookieRow(SESSION_COOKIE, "that you are signed in", f"{sign_in.SESSION_DAYS} days"),
        CookieRow("gradproof_candidate_…", "that an invitation was opened here", f"{COOKIE_SECONDS // day} days"),
    )


def _leaves(settings: Settings) -> tuple[str, ...]:
    mail = "Mails, through the mail server of whoever runs the site." if settings.sends_mail else "No mail."
    return (
        mail,
        "Where a team set it up: ids, times and scores of its candidates to its own programs, no name and no answer.",
        "A team may give its own programs a key, with which they read what its members can read.",
        "No page asks another server for anything: no analytics, no fonts, no pictures from elsewhere.",
        "The log has method, path, status and time of each request, and no address, cookie or link of anybody.",
    )


@router.get("/privacy")
def privacy(request: Request, site: CurrentSite, signed_in: MaybeSignedIn) -> HTMLResponse:
    """Say what is stored, for how long, and who sees it."""
    page = PrivacyPage(
        shell=make_shell(request, "none"),
        contact=site.settings.contact,
        groups=tuple(map(_group, dict.fromkeys(one.group for one in STORED))),
        cookies=_cookies(),
        leaves=_leaves(site.settings),
        own_url="/account/data" if signed_in else "/sign-in?next=/account/data",
        own_words="What is stored of you" if signed_in else "Sign in to see what is stored of you",
    )
    return show(request, page)
