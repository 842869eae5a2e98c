"""The pages of a team about its candidates: one frozen dataclass each, holding exactly what its template shows."""

from dataclasses import dataclass

from app.web.account_views import LinkView, TeamHeading
from app.web.fields import FormView
from app.web.views import Notice, Shell


@dataclass(frozen=True, slots=True)
class CandidateRow:
    """One candidate of a quiz, with what can be done for them now."""

    who: str
    email: str
    state: str  # invited, running, finished, revoked, expired
    detail: str
    extra: str
    data_url: str  # what is stored of them
    resend: FormView | None
    revoke: FormView | None
    extra_time: FormView | None
    more_time: FormView | None


@dataclass(frozen=True, slots=True)
class NewLink:
    """A link that is shown this once."""

    who: str
    link: str


@dataclass(frozen=True, slots=True)
class PublicLinkRow:
    """A public link, without its secret."""

    words: str
    revoke: FormView | None


@dataclass(frozen=True, slots=True)
class InvitationsPage:
    """`…/invitations`: who is invited, how far they are, and how to invite more."""

    shell: Shell
    team: TeamHeading
    quiz: LinkView
    mail_words: str  # whether mails are sent, or links have to be copied
    invite: FormView | None
    invite_many: FormView | None
    public: FormView | None
    public_links: tuple[PublicLinkRow, ...]
    rows: tuple[CandidateRow, ...]
    more_for_all: FormView | None
    new_links: tuple[NewLink, ...]
    newer_url: str | None
    older_url: str | None
    notice: Notice | None = None


@dataclass(frozen=True, slots=True)
class GuestRow:
    """One row of a list before it is sent."""

    email: str
    name: str
    extra: str


@dataclass(frozen=True, slots=True)
class ProblemRow:
    """One row that invites nobody."""

    row: int
    text: str
    problem: str


@dataclass(frozen=True, slots=True)
class GuestListPage:
    """What a list says, before anybody is invited."""

    shell: Shell
    team: TeamHeading
    quiz: LinkView
    guests: tuple[GuestRow, ...]  # the first of them
    count: int
    problems: tuple[ProblemRow, ...]
    problem_count: int
    send: FormView | None
    back_url: str
