"""Made-up pages about other programs, for the tests of the templates."""

from dataclasses import replace

from app.web.fields import Field, FormView
from app.web.integration_views import DeliveryRow, EndpointRow, IntegrationsPage, KeyRow, NewSecret
from app.web.samples.accounts import REVOKE, TEAM
from app.web.views import Notice, Shell, Tone

HOSTS = Field("hosts", "Hosts", value="ats.example.org", required=False)
KEY_FORM = FormView("/sample", (Field("name", "Which program uses it"), HOSTS), "Make the key")
ENDPOINT_FORM = FormView(
    "/sample",
    (Field("url", "Address", "url"), Field("event-graded", "session.graded", "checkbox", help="a first score")),
    "Add the endpoint",
)


def integration_samples(shell: Shell) -> dict[str, IntegrationsPage]:
    """Return the page full, with a secret and mistakes, and empty."""
    partner = KeyRow(
        name="ATS",
        start="gp_x7Qm2a…",
        scopes=("partner",),
        hosts=("ats.example.org",),
        used="never",
        state="works",
        change_hosts=FormView("/sample", (HOSTS,), "Change hosts"),
        revoke=REVOKE,
    )
    revoked = replace(
        partner, name="Script", scopes=("quizzes:read",), hosts=(), state="revoked", change_hosts=None, revoke=None
    )
    sent = DeliveryRow(
        when="1 Dec 2026, 14:02 UTC",
        when_iso="2026-12-01T14:02:00+00:00",
        what="session.graded",
        host="hooks.example.org",
        state="given up",
        tries=9,
        error="It answered 500.",
        retry=FormView("/sample", (), "Retry now"),
    )
    page = IntegrationsPage(
        shell=shell,
        team=TEAM,
        keys=(partner, replace(partner, name="Other ATS"), revoked),
        make_key=KEY_FORM,
        endpoints=(
            EndpointRow(
                "https://hooks.example.org/gradproof",
                ("session.graded", "session.rescored"),
                "on; the old secret signs too",
                (FormView("/sample", (), "Send a test"), REVOKE),
            ),
        ),
        add_endpoint=ENDPOINT_FORM,
        deliveries=(sent, replace(sent, state="delivered", error="", tries=1, retry=None)),
        new_secret=NewSecret("The key for ATS is shown this once:", "gp_sample", "It cannot be shown again."),
    )
    wrong = replace(
        page,
        make_key=KEY_FORM.filled({}, {"name": "Name the program."}),
        add_endpoint=ENDPOINT_FORM.filled({}, {"url": "The address must start with https://."}),
        new_secret=None,
        notice=Notice(Tone.INFO, "A test is on its way", "The log says what became of it."),
    )
    empty = replace(page, keys=(), endpoints=(), deliveries=(), new_secret=None)
    return {"integrations": page, "integrations-wrong": wrong, "integrations-empty": empty}
