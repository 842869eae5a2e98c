"""The pages about personal data: what is stored of one person, and what the site stores at all."""

from dataclasses import dataclass

from app.web.account_views import LinkView, TeamHeading
from app.web.fields import FormView
from app.web.views import Notice, Shell


@dataclass(frozen=True, slots=True)
class DataSection:
    """One part of what is stored: facts with their labels, and a table where there are rows."""

    title: str
    facts: tuple[tuple[str, str], ...] = ()
    head: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    notes: tuple[str, ...] = ()  # a sentence or a text of somebody each


@dataclass(frozen=True, slots=True)
class PersonalDataPage:
    """What is stored of one person, to be read, taken away and erased; `team` where a team looks at a candidate."""

    shell: Shell
    team: TeamHeading | None
    back: LinkView
    title: str
    lead: str
    sections: tuple[DataSection, ...]
    download: LinkView
    erase_words: tuple[str, ...]  # what erasing does
    erase: FormView | None  # None where the reader may not, or it cannot be done now: the words say why
    notice: Notice | None = None


@dataclass(frozen=True, slots=True)
class StoredRow:
    """One kind of data: what it is, how long it is kept, who sees it."""

    what: str
    until: str
    who: str


@dataclass(frozen=True, slots=True)
class StoredGroup:
    """Kinds of data about the same people; `until` and `who` where they are the same for all of them."""

    title: str
    rows: tuple[StoredRow, ...]
    until: str = ""
    who: str = ""


@dataclass(frozen=True, slots=True)
class CookieRow:
    """A cookie: its name, what it is for, how long it lasts."""

    name: str
    purpose: str
    lasts: str


@dataclass(frozen=True, slots=True)
class PrivacyPage:
    """`/privacy`: what is stored, for how long, and who sees it."""

    shell: Shell
    contact: str
    groups: tuple[StoredGroup, ...]
    cookies: tuple[CookieRow, ...]
    leaves: tuple[str, ...]  # what is sent to other machines
    own_url: str  # where the reader finds what is stored of them
    own_words: str
