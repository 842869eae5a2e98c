"""The pages around accounts and teams: one frozen dataclass each, holding exactly what its template shows."""

from dataclasses import dataclass

from app.web.fields import FormView
from app.web.views import Notice, Shell


@dataclass(frozen=True, slots=True)
class LinkView:
    """A link with its words."""

    url: str
    label: str


@dataclass(frozen=True, slots=True)
class FormPage:
    """A page that is one form: sign up, sign in, a forgotten password, a new team."""

    shell: Shell
    title: str
    lead_md: str
    form: FormView | None  # None where there is nothing to send any more
    links: tuple[LinkView, ...] = ()
    notice: Notice | None = None


@dataclass(frozen=True, slots=True)
class BrowserView:
    """One browser that is signed in."""

    agent: str
    since: str
    current: bool


@dataclass(frozen=True, slots=True)
class TeamLink:
    """A team with one's role in it."""

    url: str
    name: str
    role: str


@dataclass(frozen=True, slots=True)
class AccountPage:
    """`/account`: who one is here, the password, the browsers, one's teams."""

    shell: Shell
    name: str
    email: str
    profile: FormView
    password: FormView
    browsers: tuple[BrowserView, ...]
    teams: tuple[TeamLink, ...]
    notice: Notice | None = None


@dataclass(frozen=True, slots=True)
class MemberRow:
    """A member, with the forms to change them where the reader may."""

    name: str
    email: str
    role: str
    since: str
    change: FormView | None
    remove: FormView | None


@dataclass(frozen=True, slots=True)
class MemberInvitationRow:
    """An invitation that was not accepted yet."""

    email: str
    role: str
    until: str
    revoke: FormView


@dataclass(frozen=True, slots=True)
class TeamHeading:
    """Where a page of a team stands; `section` is quizzes, items, members, integrations, audit or settings."""

    name: str
    url: str
    section: str
    role: str
    sections: tuple[LinkView, ...]


@dataclass(frozen=True, slots=True)
class MembersPage:
    """`/teams/{team}/members`: who is in, who is invited; `link` is the one just made, shown this once."""

    shell: Shell
    team: TeamHeading
    members: tuple[MemberRow, ...]
    invited: tuple[MemberInvitationRow, ...]
    invite: FormView | None
    link: str = ""
    notice: Notice | None = None


@dataclass(frozen=True, slots=True)
class AuditRow:
    """One act."""

    when: str
    when_iso: str
    who: str
    action: str
    subject: str
    detail: str


@dataclass(frozen=True, slots=True)
class AuditPage:
    """`/teams/{team}/audit`: who did what, newest first."""

    shell: Shell
    team: TeamHeading
    rows: tuple[AuditRow, ...]
    newer_url: str | None
    older_url: str | None


@dataclass(frozen=True, slots=True)
class TeamSettingsPage:
    """`/teams/{team}/settings`: its name and its time zone."""

    shell: Shell
    team: TeamHeading
    form: FormView
    notice: Notice | None = None
