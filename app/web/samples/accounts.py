"""Made-up pages around accounts and teams, for the tests of the templates."""

from app.web.account_views import (
    AccountPage,
    AuditPage,
    AuditRow,
    BrowserView,
    FormPage,
    LinkView,
    MemberInvitationRow,
    MemberRow,
    MembersPage,
    TeamHeading,
    TeamLink,
    TeamSettingsPage,
)
from app.web.fields import Field, FieldChoice, FormView
from app.web.views import Notice, Shell, Tone

ROLE = Field(
    "role", "Role", "select", "author", choices=(FieldChoice("owner", "owner"), FieldChoice("author", "author"))
)
SECTIONS = (
    LinkView("/teams/1", "Quizzes"),
    LinkView("/teams/1/items", "Items"),
    LinkView("/teams/1/members", "Members"),
    LinkView("/teams/1/integrations", "Integrations"),
    LinkView("/teams/1/audit", "Audit"),
)
TEAM = TeamHeading("Vision group", "/teams/1", "members", "owner", SECTIONS)
EVERY_FIELD = FormView(
    "/sample",
    (
        Field("email", "Mail address", "email", "ada@example.org", "Write it like name@example.org."),
        Field("password", "Password", "password", help="At least ten characters."),
        Field("about", "About", "textarea", "Two lines\nof text", required=False, attributes=(("rows", "4"),)),
        ROLE,
        Field(
            "when",
            "When",
            "radios",
            "now",
            choices=(FieldChoice("now", "now", "at once"), FieldChoice("later", "later")),
        ),
        Field("sure", "I am sure", "checkbox", "on", help="It cannot be undone."),
        Field("next", "", "hidden", "/teams"),
    ),
    "Do it",
    danger=True,
    files=True,
)
REVOKE = FormView("/sample", (), "Withdraw", danger=True)


def account_samples(shell: Shell) -> dict[str, FormPage | AccountPage | MembersPage | AuditPage | TeamSettingsPage]:
    """Return each page with everything it can hold, and again with as little as it can."""
    account = AccountPage(
        shell=shell,
        name="Ada",
        email="ada@example.org",
        profile=FormView("/account", (Field("name", "Name"),), "Save"),
        password=FormView("/account/password", (Field("password", "Password", "password"),), "Change the password"),
        browsers=(BrowserView("A browser", "1 Dec 2026", True), BrowserView("Another", "30 Nov 2026", False)),
        teams=(TeamLink("/teams/1", "Vision group", "owner"),),
        notice=Notice(Tone.RIGHT, "The password was changed", "Every other browser is signed out."),
    )
    member = MemberRow("Ada", "ada@example.org", "owner", "1 Dec 2026", FormView("/sample", (ROLE,), "Change"), REVOKE)
    members = MembersPage(
        shell=shell,
        team=TEAM,
        members=(member, MemberRow("Bo", "bo@example.org", "author", "1 Dec 2026", None, None)),
        invited=(MemberInvitationRow("new@example.org", "reviewer", "15 Dec 2026", REVOKE),),
        invite=FormView("/sample", (Field("email", "Mail address", "email"),), "Invite"),
        link="https://site.example/join/abcdef",
    )
    row = AuditRow("1 Dec 2026, 14:02 UTC", "2026-12-01T14:02:00+00:00", "ada@example.org", "team.created", "1", "")
    return {
        "form": FormPage(shell, "Every field", "A *lead*.", EVERY_FIELD, (LinkView("/sign-in", "Sign in"),)),
        "form-sent": FormPage(
            shell, "Sent", "", None, (), Notice(Tone.INFO, "Look into your mail", "It is on its way.")
        ),
        "account": account,
        "members": members,
        "members-read": MembersPage(shell, TEAM, (member,), (), None),
        "audit": AuditPage(shell, TEAM, (row,), "/teams/1/audit?page=1", "/teams/1/audit?page=3"),
        "audit-empty": AuditPage(shell, TEAM, (), None, None),
        "settings": TeamSettingsPage(shell, TEAM, FormView("/sample", (Field("name", "Team name"),), "Save")),
    }
