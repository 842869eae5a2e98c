"""Made-up pages about personal data, for the tests of the templates."""

from dataclasses import replace

from app.web.account_views import LinkView
from app.web.fields import Field, FormView
from app.web.privacy_views import CookieRow, DataSection, PersonalDataPage, PrivacyPage, StoredGroup, StoredRow
from app.web.samples.accounts import TEAM
from app.web.views import Notice, Shell, Tone

ERASE = FormView(
    "/sample", (Field("password", "Your password", "password"), Field("sure", "I am sure", "checkbox")), "Erase", True
)


def privacy_samples(shell: Shell) -> dict[str, PrivacyPage | PersonalDataPage]:
    """Return each page with everything it can hold, and again with as little as it can."""
    section = DataSection(
        "Slopes",
        (("Name", "Ada"), ("Mail address", "ada@example.org")),
        ("Item", "What was entered last"),
        (("1. A square", "w.grad: 4.0"), ("2. A cube", "nothing")),
        ("Told the team: <b>the clock</b> was fast",),
    )
    own = PersonalDataPage(
        shell=shell,
        team=TEAM,
        back=LinkView("/sample", "Slopes"),
        title="What is stored of Ada",
        lead="In every quiz of the team.",
        sections=(section, DataSection("Teams", notes=("None.",))),
        download=LinkView("/sample", "Take it away as JSON"),
        erase_words=("Everything is deleted.",),
        erase=ERASE.filled({}, {"sure": "Tick it."}),
        notice=Notice(Tone.WRONG, "The quiz is being taken", "Nothing was changed.", refused=True),
    )
    page = PrivacyPage(
        shell=shell,
        contact="the Vision group, privacy@example.org",
        groups=(
            StoredGroup("Candidates", (StoredRow("Name", "", ""),), "30 days", "The members of the team"),
            StoredGroup("Accounts", (StoredRow("Mail address", "Until you erase the account", "You"),)),
        ),
        cookies=(CookieRow("gradproof_session", "that you are signed in", "30 days"),),
        leaves=("No mail.",),
        own_url="/account/data",
        own_words="What is stored of you",
    )
    return {
        "personal-data": own,
        "personal-data-read": replace(own, team=None, sections=(), erase=None, notice=None),
        "privacy": page,
        "privacy-anonymous": replace(page, contact="", own_url="/sign-in", own_words="Sign in"),
    }
